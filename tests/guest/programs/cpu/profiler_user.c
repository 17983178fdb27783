/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program of gperftools' CPU profiler, whose header is declared here again.
 *
 * Usage: profiler_user FILE
 *
 * Profiles burn() into FILE, and prints a line for each promise that does not hold.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

struct ProfilerOptions {
	int (*filter_in_thread)(void *arg);
	void *filter_in_thread_arg;
};
struct ProfilerState {
	int enabled;
	time_t start_time;
	char profile_name[1024];
	int samples_gathered;
};

int ProfilerStart(const char *name);
int ProfilerStartWithOptions(const char *name, const struct ProfilerOptions *options);
void ProfilerStop(void);
void ProfilerFlush(void);
void ProfilerRegisterThread(void);
int ProfilingIsEnabledForAllThreads(void);
void ProfilerGetCurrentState(struct ProfilerState *state);

static volatile unsigned long counter;
static int failed;

static void check(int holds, const char *what)
{
	if (holds)
		return;
	printf("not so: %s\n", what);
	failed = 1;
}

#define CHECK(what) check(what, #what)

__attribute__((noinline)) static void burn(int samples)
{
	struct ProfilerState state;

	do {
		for (int i = 0; i < 1000000; i++)
			counter++;
		ProfilerGetCurrentState(&state);
	} while (state.enabled && state.samples_gathered < samples);
}

static int filter(void *arg)
{
	return !arg;
}

int main(int argc, char **argv)
{
	const struct ProfilerOptions none = {0}, filtered = {filter, NULL};
	const time_t begin = time(NULL);
	struct ProfilerState state;
	struct stat file;

	if (argc < 2)
		return 2;
	CHECK(!ProfilingIsEnabledForAllThreads());
	CHECK(!ProfilerStart("/nowhere/profile"));
	CHECK(!ProfilerStartWithOptions(argv[1], &filtered));
	CHECK(ProfilerStartWithOptions(argv[1], &none) == 1);
	CHECK(ProfilingIsEnabledForAllThreads());
	CHECK(!ProfilerStart(argv[1]));
	ProfilerRegisterThread();
	ProfilerGetCurrentState(&state);
	CHECK(state.enabled == 1);
	CHECK(!strcmp(state.profile_name, argv[1]));
	CHECK(state.start_time >= begin && state.start_time <= time(NULL));
	burn(20);
	ProfilerFlush();
	CHECK(!stat(argv[1], &file) && file.st_size > 0);
	burn(40);
	ProfilerStop();
	CHECK(!ProfilingIsEnabledForAllThreads());
	ProfilerGetCurrentState(&state);
	CHECK(!state.enabled && !*state.profile_name && !state.samples_gathered);
	ProfilerStop();
	return failed;
}
