/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that talks to the module through libprofil, with every structure of the
 * interface.
 *
 *	speak		profile itself, record children, and profile itself with profil(): 0 on success
 *	speak info	print what the module says about itself
 *	speak later	use a member that only the next module knows
 *
 * It is compiled with the headers of each age.  NEXT is defined for the headers that
 * scripts/check/compat makes up, whose structures are longer.
 */
#include <errno.h>
#include <profil.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { TEXT = 4096, ENOUGH = 10, PATIENCE = 120, CHILDREN = 3, COUNTS = 4096 };

static volatile unsigned long sink;

__attribute__((noinline, noclone, aligned(TEXT))) static void spin(void)
{
	for (unsigned long i = 0; i < 100000; i++)
		sink += i;
}

static int failed(const char *what, int error, const char *step)
{
	char text[512];

	printf("%s: %s\n", what, profil_explain(error, step, text, sizeof text));
	return 1;
}

/* A counter for each byte of text from spin() on. */
static struct profil_region region_of(unsigned *counters)
{
	struct profil_region region = {
		.low = (uintptr_t)spin,
		.high = (uintptr_t)spin + TEXT,
		.offset = (uintptr_t)spin,
		.buffer = (uintptr_t)counters,
		.bytes = TEXT * sizeof *counters,
		.scale = 0x10000,
		.width = sizeof *counters,
	};

	return region;
}

static struct profil_spec spec_of(const struct profil_region *region)
{
	struct profil_spec spec = {
		.size = sizeof spec,
		.period = 1000000,
		.regions = region,
		.nr_regions = 1,
	};

	return spec;
}

static int enough(const unsigned *counters)
{
	volatile const unsigned *now = counters;
	unsigned long sum = 0;

	for (int i = 0; i < TEXT; i++)
		sum += now[i];
	return sum >= ENOUGH;
}

/* Spin until there are enough ticks; 0 after a time that suffices on the busiest machine. */
static int counts(const unsigned *counters)
{
	for (time_t end = time(NULL) + PATIENCE; time(NULL) < end; spin())
		if (enough(counters))
			return 1;
	printf("no ticks within %d s\n", PATIENCE);
	return 0;
}

static int self(void)
{
	unsigned *counters = profil_counters_alloc(TEXT * sizeof *counters);
	struct profil_region region = region_of(counters);
	struct profil_spec spec = spec_of(&region);
	struct profil_status status = {.size = sizeof status};
	int ok;

	if (profil_self_start(&spec, NULL))
		return failed("self start", errno, NULL);
	ok = counts(counters);
	if (profil_self_get_status(&status))
		return failed("self status", errno, NULL);
	if (profil_self_stop(NULL))
		return failed("self stop", errno, NULL);
	if (status.state != PROFIL_STATE_RUNNING || status.counted < ENOUGH || status.period != spec.period)
		return !printf("self status: state %u, %llu counted, period %llu\n", status.state,
			       (unsigned long long)status.counted, (unsigned long long)status.period);
	return !ok;
}

static pid_t start_child(void)
{
	const pid_t child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		spin();
}

static unsigned long long sum_of(const struct profil_count *table)
{
	unsigned long long sum = 0;

	for (int i = 0; i < COUNTS; i++)
		sum += table[i].count;
	return sum;
}

/* Wait until the recording has enough ticks; fail after a time that suffices on any machine. */
static int ticks(struct profil_session *session, unsigned profile, struct profil_status *status)
{
	for (time_t end = time(NULL) + PATIENCE; time(NULL) < end; usleep(10000)) {
		if (profil_get_status(session, profile, status))
			return failed("status", errno, NULL);
		if (status->counted >= ENOUGH)
			return 0;
	}
	return !printf("no ticks within %d s\n", PATIENCE);
}

static int record(struct profil_session *session, const pid_t children[CHILDREN])
{
	struct profil_count *table = profil_counters_alloc(COUNTS * sizeof *table);
	struct profil_record how = {
		.size = sizeof how,
		.flags = PROFIL_FOLLOW,
		.period = 1000000,
		.table = (uintptr_t)table,
		.nr_counts = COUNTS,
	};
	/* Two targets, because the library uses io_uring only for two or more. */
	struct profil_target more[2] = {{.pid = children[1]}, {.pid = children[2]}};
	struct profil_describe kernel = {.size = sizeof kernel, .number = 1};
	struct profil_status status = {.size = sizeof status};
	const char *step;

	if (profil_session_record(session, children[0], &how, &step))
		return failed("record", errno, step);
	if (profil_session_add(session, how.profile, more, 2) != 2)
		return failed("add", more[1].error ? more[1].error : errno, more[1].step);
	if (ticks(session, how.profile, &status))
		return 1;
	if (status.state != PROFIL_STATE_RUNNING || status.processes != CHILDREN)
		return !printf("status: state %u, %u processes\n", status.state, status.processes);
	kernel.profile = how.profile;
	if (profil_session_describe(session, &kernel))
		return failed("describe", errno, NULL);
	if (kernel.kind != PROFIL_KIND_KERNEL)
		return !printf("describe: kind %u\n", kernel.kind);
	if (profil_session_finish(session, how.profile))
		return failed("finish", errno, NULL);
	if (profil_get_status(session, how.profile, &status))
		return failed("last status", errno, NULL);
	if (status.state != PROFIL_STATE_STOPPED || sum_of(table) != status.counted + status.kernel)
		return !printf("last status: state %u, %llu counted, %llu in the kernel, %llu in the table\n",
			       status.state, (unsigned long long)status.counted,
			       (unsigned long long)status.kernel, sum_of(table));
	return 0;
}

static int others(void)
{
	struct profil_session *session = profil_session_open();
	pid_t children[CHILDREN];
	int result;

	for (int i = 0; i < CHILDREN; i++)
		children[i] = start_child();
	result = session ? record(session, children) : failed("session", errno, NULL);
	for (int i = 0; i < CHILDREN; i++)
		kill(children[i], SIGKILL);
	profil_session_close(session);
	return result;
}

/* Calls libprofil's profil() through libc's declaration. */
static int classic(void)
{
	static unsigned short counters[TEXT / 2];
	volatile const unsigned short *now = counters;

	if (profil(counters, sizeof counters, (size_t)spin, 0x10000))
		return failed("profil", errno, NULL);
	for (time_t end = time(NULL) + PATIENCE; time(NULL) < end; spin()) {
		for (int i = 0; i < TEXT / 2; i++)
			if (now[i])
				return profil(counters, sizeof counters, 0, 0) ? failed("profil off", errno, NULL) : 0;
	}
	return !printf("profil: no ticks within %d s\n", PATIENCE);
}

static int info(void)
{
	struct profil_info about = {.size = sizeof about};

	if (profil_get_info(&about))
		return failed("info", errno, NULL);
	printf("abi %u, %u regions", about.abi, about.region_max);
#ifdef NEXT
	printf(", later %llu", (unsigned long long)about.later);
#endif
	putchar('\n');
	return 0;
}

/* The library does not pass the new member on, so issue the command on the session's descriptor. */
static int later(void)
{
#ifdef NEXT
	struct profil_stop stop = {.size = sizeof stop, .later = 1};
	struct profil_session *session = profil_session_open();

	if (!session)
		return failed("session", errno, NULL);
	if (ioctl(profil_session_fd(session), PROFIL_STOP, &stop))
		return failed("stop", errno, NULL);
#endif
	return 0;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc < 2)
		return self() || others() || classic();
	if (!strcmp(argv[1], "info"))
		return info();
	if (!strcmp(argv[1], "later"))
		return later();
	return 2;
}
