/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls of <profil.h>. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/guest/programs/i386/exact.h"

static struct profil_region region_of(volatile void *counters, uint64_t bytes, unsigned int width)
{
	struct profil_region region = {
		.low = loop - 4,
		.high = UINT64_MAX,
		.offset = loop - 4,
		.buffer = (uintptr_t)counters,
		.bytes = bytes,
		.scale = 0x10000,
		.width = width,
		.post = 2,
	};

	return region;
}

static struct profil_spec spec_of(const struct profil_region *region)
{
	struct profil_spec spec = {
		.size = sizeof(spec), .period = 1000000, .regions = region, .nr_regions = 1,
	};

	return spec;
}

/* 64-bit counters: a value above 32 bits is read in full. */
static void self(volatile uint64_t *counters)
{
	const struct profil_region region = region_of(counters, 64, 8);
	const struct profil_spec spec = spec_of(&region);
	uint64_t stored = 1;

	REQUIRE(profil_counter_index(&region, loop - 5) == -1);
	REQUIRE(profil_counter_index(&region, loop) == 1);
	REQUIRE(profil_counter_index(&region, loop + 27) == 7);
	REQUIRE(profil_counter_index(&region, loop + 28) == -1);
	REQUIRE(profil_counter_index(&region, loop + (1ULL << 32)) == -1);
	REQUIRE(profil_self_start(&spec, &stored) == 0 && stored == 0);
	SPIN_UNTIL(profil_counter_read(&region, 1) >= 3);
	REQUIRE_ALL_IN(profil_counter_read(&region, 1));
	REQUIRE(profil_self_stop(NULL) == 0 && is_off());
	counters[1] = 0xfffffffffffffff0;
	REQUIRE(profil_counter_read(&region, 1) == 0xfffffffffffffff0);
	REQUIRE(profil_counter_read(&region, 8) == 0);
}

static pid_t spinning_child(void)
{
	const pid_t pid = fork();

	if (!pid)
		for (;;)
			code_run(loop, 500000);
	return pid;
}

static uint64_t sum_of(const volatile struct profil_count *table, unsigned int nr)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < nr; i++)
		sum += table[i].count;
	return sum;
}

/* Several processes of a recording at once, for which the 64-bit library would use a ring. */
static void record(volatile struct profil_count *table)
{
	struct profil_session *session = profil_session_open();
	struct profil_status found = { .size = sizeof(found) };
	struct profil_target targets[3];
	struct profil_record how = {
		.size = sizeof(how),
		.flags = PROFIL_FOLLOW,
		.period = 1000000,
		.table = (uintptr_t)table,
		.nr_counts = PAGE / sizeof(*table),
	};
	const pid_t first = spinning_child();

	REQUIRE(session);
	REQUIRE(profil_session_record(session, first, &how, NULL) == 0 && how.profile != 0);
	for (int i = 0; i < 3; i++) {
		memset(&targets[i], 0xa5, sizeof(targets[i]));
		targets[i].pid = i < 2 ? spinning_child() : INT_MAX;
	}
	REQUIRE(profil_session_add(session, how.profile, targets, 3) == 2);
	for (int i = 0; i < 2; i++)
		REQUIRE(targets[i].error == 0 && targets[i].step == NULL);
	REQUIRE(targets[2].error == ESRCH && !strcmp(targets[2].step, "perf_event_open"));
	do {
		usleep(10000);
		REQUIRE(profil_get_status(session, how.profile, &found) == 0);
	} while (found.counted < 9);
	REQUIRE(found.processes == 3);
	kill(first, SIGKILL);
	for (int i = 0; i < 2; i++)
		kill(targets[i].pid, SIGKILL);
	while (wait(NULL) > 0)
		;
	REQUIRE(profil_session_finish(session, how.profile) == 0);
	REQUIRE(profil_get_status(session, how.profile, &found) == 0);
	REQUIRE(sum_of(table, how.nr_counts) == found.counted + found.kernel);
	profil_session_close(session);
}

static void run(void)
{
	self(high_counters());
	record(page_at(0xa0100000, PROT_READ | PROT_WRITE));
}
