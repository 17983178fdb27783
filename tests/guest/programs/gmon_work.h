/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program for gcc -pg.  It prints its PID and its CPU time in ns.
 *
 * Arguments are executed in order:
 *   ms N        N ms of CPU time in hot()
 *   calls N     N calls of leaf() by call()
 *   threads N   the following arguments, once in each of N threads
 *   fork        the following arguments, in a child
 *   exec        the following arguments, in a program that a child executes
 *   off, on     moncontrol()
 *   object N    N ms in hot_object() of gmon_object
 *   range       monstartup() for hot() alone
 *   again       monstartup() for the whole program
 *   bad         monstartup() for an empty range, which must fail
 * Or, as the only argument:
 *   main N      N ms in main()
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char __executable_start[], etext[];
void moncontrol(int mode);
int monstartup(unsigned long low, unsigned long high);

static volatile unsigned long sink;

static unsigned long cpu_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000UL + now.tv_nsec;
}

__attribute__((noinline)) void leaf(double d, int n)
{
	sink += n + (int)d;
}

__attribute__((noinline)) void call(long n)
{
	while (n--)
		leaf(0.5, 1);
}

__attribute__((noinline)) void hot(unsigned long rounds)
{
	while (rounds--)
		sink++;
}

__attribute__((noinline)) void after_hot(void)
{
	sink = 0;
}

/*
 * Read the clock rarely: a system call is slow on a debug kernel.  In a guest on a busy host, CPU
 * time includes time that the host spends on other work, so run a minimum of rounds.
 */
static void spend(unsigned long ms, void (*in)(unsigned long))
{
	const unsigned long end = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000;

	for (unsigned long n = 0; n < ms / 10 || cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end; n++)
		in(200000);
}

static void run(char **argument);

static void *run_thread(void *argument)
{
	run(argument);
	return NULL;
}

static void run_threads(int nr, char **argument)
{
	pthread_t thread[16];

	for (int i = 0; i < nr; i++)
		if (pthread_create(&thread[i], NULL, run_thread, argument))
			abort();
	for (int i = 0; i < nr; i++)
		pthread_join(thread[i], NULL);
}

static void in_child(int is_exec, char **argument)
{
	const pid_t pid = fork();
	int status;

	if (!pid && is_exec) {
		argument[-1] = "executed";
		execv("/proc/self/exe", argument - 1);
		_exit(126);
	}
	if (!pid) {
		run(argument);
		exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		abort();
}

static void run(char **argument)
{
	for (; *argument; argument++) {
		if (!strcmp(*argument, "ms")) {
			spend(strtoul(*++argument, NULL, 10), hot);
		} else if (!strcmp(*argument, "object")) {
			void (*work)(unsigned long);

			*(void **)&work = dlsym(RTLD_DEFAULT, "hot_object");
			spend(strtoul(*++argument, NULL, 10), work);
		} else if (!strcmp(*argument, "calls")) {
			call(strtol(*++argument, NULL, 10));
		} else if (!strcmp(*argument, "off") || !strcmp(*argument, "on")) {
			moncontrol(!strcmp(*argument, "on"));
		} else if (!strcmp(*argument, "range")) {
			monstartup((unsigned long)hot, (unsigned long)after_hot);
		} else if (!strcmp(*argument, "again")) {
			monstartup((unsigned long)__executable_start, (unsigned long)etext);
		} else if (!strcmp(*argument, "bad")) {
			if (monstartup((unsigned long)etext, (unsigned long)__executable_start) != -1)
				abort();
		} else if (!strcmp(*argument, "threads")) {
			run_threads(atoi(argument[1]), argument + 2);
			return;
		} else {
			in_child(!strcmp(*argument, "exec"), argument + 1);
			return;
		}
	}
}

/* libprofil leaves SIGPROF and ITIMER_PROF, which libc's profil() uses, to the program. */
static int is_signalled(void)
{
	struct sigaction action;
	struct itimerval timer;

	return sigaction(SIGPROF, NULL, &action) || action.sa_handler != SIG_DFL ||
	       getitimer(ITIMER_PROF, &timer) || timer.it_interval.tv_sec || timer.it_interval.tv_usec;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "main")) {
		const unsigned long end =
			cpu_ns(CLOCK_THREAD_CPUTIME_ID) + strtoul(argv[2], NULL, 10) * 1000000;

		while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end)
			for (int i = 0; i < 100000; i++)
				sink++;
	} else {
		run(argv + 1);
	}
	if (is_signalled())
		return 3;
	printf("%d %lu\n", getpid(), cpu_ns(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
