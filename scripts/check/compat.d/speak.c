/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that talks to the module through libprofil, with every structure of the
 * interface.
 *
 *	speak		profile itself, a child, and itself with profil(): 0 on success
 *	speak info	print what the module says about itself
 *	speak thread	profile one thread of a child, with a flag unknown to old modules
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

enum { TEXT = 4096, ENOUGH = 10, PATIENCE = 120, THREAD_FLAG = 1 << 3 };

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

static struct profil_spec spec_of(const struct profil_region *region, unsigned flags)
{
	struct profil_spec spec = {
		.size = sizeof spec,
		.flags = flags,
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

/* Are there enough ticks, in a time that suffices even on the busiest machine? */
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
	struct profil_spec spec = spec_of(&region, 0);
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

static int attached(struct profil_session *session, pid_t child, unsigned flags)
{
	unsigned *counters = profil_counters_alloc(TEXT * sizeof *counters);
	struct profil_region region = region_of(counters);
	struct profil_spec spec = spec_of(&region, flags);
	/* Twice, as several targets are attached in a different way from one; the second has it. */
	struct profil_target targets[2] = {{.pid = child, .spec = &spec}, {.pid = child, .spec = &spec}};
	const struct profil_target *target = &targets[1];
	struct profil_status status = {.size = sizeof status};

	if (profil_attach(session, targets, 2) != 2)
		return failed("attach", target->error ? target->error : errno, target->step);
	if (!counts(counters))
		return 1;
	if (profil_set_regions(session, target->profile, &region, 1))
		return failed("set regions", errno, NULL);
	if (profil_get_status(session, target->profile, &status))
		return failed("status", errno, NULL);
	if (profil_detach(session, target->profile, NULL))
		return failed("detach", errno, NULL);
	if (status.state != PROFIL_STATE_RUNNING || status.counted < ENOUGH || status.processes != 1)
		return !printf("status: state %u, %llu counted, %u processes\n", status.state,
			       (unsigned long long)status.counted, status.processes);
	return 0;
}

static int other(unsigned flags)
{
	struct profil_session *session = profil_session_open();
	const pid_t child = start_child();
	int result;

	result = session ? attached(session, child, flags) : failed("session", errno, NULL);
	kill(child, SIGKILL);
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

/* The library does not pass the member on, so use its descriptor directly. */
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
		return self() || other(PROFIL_FOLLOW) || classic();
	if (!strcmp(argv[1], "info"))
		return info();
	if (!strcmp(argv[1], "thread"))
		return other(THREAD_FLAG);
	if (!strcmp(argv[1], "later"))
		return later();
	return 2;
}
