// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/module/worker.h"

#include "tests/fuzz/module/arena.h"
#include "tests/fuzz/module/commands.h"
#include "tests/fuzz/module/device.h"
#include "tests/fuzz/module/random.h"
#include "tests/fuzz/module/ring.h"
#include "tests/fuzz/module/shared.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <spawn.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace fuzz {

namespace {

constexpr unsigned nr_children = 8;
constexpr unsigned max_threads = 16;
constexpr unsigned deepest = 2;

/** The children of this process.  The thread that removes one from the array kills and reaps it. */
std::array<std::atomic<pid_t>, nr_children> children;
std::array<std::atomic<pid_t>, max_threads> threads_of_worker;

void step(Random &random);

/** Threads that act together share one child. */
std::atomic<pid_t> &any_child(Random &random)
{
	return children[random.below(shared->together ? 1 : nr_children)];
}

void end_child(std::atomic<pid_t> &slot, pid_t next)
{
	const pid_t pid = slot.exchange(next);

	if (pid <= 0)
		return;
	if (!kill(pid, SIGKILL))
		shared->kills++;
	/* If another thread removed it from the array, that thread has reaped it. */
	while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR)
		;
}

void end_children()
{
	for (auto &slot : children)
		end_child(slot, 0);
}

/** Execute a program, sometimes a set-uid one: an ordinary user's recording must then end. */
[[noreturn]] void exec_self(Random &random)
{
	const char *const arguments[] = {"fuzz", "--burn", "2000", nullptr};
	const char *const nothing[] = {nullptr};

	const char *const program = random.one_in(3) ? shared->guarded : "/proc/self/exe";

	shared->execs++;
	execve(program, const_cast<char **>(arguments), const_cast<char **>(nothing));
	_exit(1);
}

[[noreturn]] void be_child(Random random, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	for (auto &slot : children)
		slot = 0;
	thread_ring.forget();
	place.depth++;
	/* Without a uid_map: the user is the overflow UID inside, and unchanged outside. */
	if (random.one_in(6))
		unshare(CLONE_NEWUSER);
	for (uint64_t left = random.below(30); left && !shared->stop; left--) {
		place.step++;
		step(random);
	}
	end_children();
	if (random.one_in(3))
		exec_self(random);
	if (shared->together || random.one_in(4))
		pause();
	_exit(0);
}

void fork_child(Random &random)
{
	auto &slot = any_child(random);
	const Random its(random.next());
	const pid_t parent = getpid();

	if (place.depth >= deepest)
		return;
	const pid_t pid = fork();
	if (!pid)
		be_child(its, parent);
	if (pid < 0)
		return;
	shared->forks++;
	end_child(slot, pid);
}

/** vfork and exec: for a while, the child is in its parent's address space. */
void spawn_child(Random &random)
{
	auto &slot = any_child(random);
	const char *const arguments[] = {"fuzz", "--burn", "500", nullptr};
	pid_t pid;

	if (posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, const_cast<char **>(arguments), environ))
		return;
	shared->forks++;
	shared->execs++;
	end_child(slot, pid);
}

void wake_thread(Random &random)
{
	const pid_t tid = threads_of_worker[random.below(max_threads)];

	if (tid > 0)
		syscall(SYS_tgkill, getpid(), tid, SIGUSR1);
}

void change_limits(Random &random)
{
	static const rlim_t limits[] = {0, 1 << 16, 1 << 20, 8 << 20, 8 << 20};
	const rlim_t limit = random.pick(limits);
	const rlimit memlock = {limit, RLIM_INFINITY};

	setrlimit(RLIMIT_MEMLOCK, &memlock);
}

void change_cpu(Random &random)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(random.below(8), &set);
	if (random.one_in(2))
		CPU_SET(0, &set);
	if (random.one_in(2))
		CPU_SET(1, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

pid_t any_target(Random &random)
{
	const pid_t child = any_child(random);
	const pid_t thread = threads_of_worker[random.below(max_threads)];
	const pid_t worker = shared->worker[random.below(max_workers)];

	switch (shared->together ? 4 : random.below(5)) {
	case 0: return 0;
	case 1: return worker;
	case 2: return thread;
	default: return child;
	}
}

void step_together(Random &random)
{
	switch (random.below(100)) {
	case 0 ... 1: return fork_child(random);
	case 2: return spawn_child(random);
	case 3: return end_child(any_child(random), 0);
	case 4: return random.one_in(10) ? close_device(random) : open_device(random);
	case 5 ... 7: return poll_device(random);
	case 8: return change_cpu(random);
	case 9 ... 12: return burn(random.below(500));
	default: return run_command(random, any_target(random));
	}
}

void step(Random &random)
{
	/* Each step has its own generator, so that its draws do not shift those of later steps. */
	Random own(random.next());

	if (shared->together)
		return step_together(own);
	switch (own.below(100)) {
	case 0: return fork_child(own);
	case 1: return own.one_in(2) ? spawn_child(own) : fork_child(own);
	case 2: return end_child(any_child(own), 0);
	case 3 ... 6: return open_device(own);
	case 7: return close_device(own);
	case 8 ... 11: return poll_device(own);
	case 12 ... 13: return wake_thread(own);
	case 14: return change_limits(own);
	case 15: return change_cpu(own);
	case 16: return read_facts(own);
	case 17 ... 19: return Arena::check_margins(own);
	case 20 ... 25: return burn(own.below(500));
	case 26 ... 40: return Arena::disturb(own);
	default: return run_command(own, any_target(own));
	}
}

void run_thread(unsigned number, uint64_t steps)
{
	Random random(mix(mix(shared->seed, place.worker), mix(place.generation, number)));

	place.thread = number;
	place.step = 0;
	threads_of_worker[number] = gettid();
	while (place.step < steps && !shared->stop) {
		place.step++;
		step(random);
	}
	threads_of_worker[number] = 0;
}

/** Move this worker into the cgroup where memory runs out; a quarter of the workers do. */
void enter_group()
{
	const auto file = std::string(shared->group) + "/cgroup.procs";
	const int fd = open(file.c_str(), O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, "0", 1) < 0)
		complain("cannot enter %s", shared->group);
	close(fd);
}

/** Give up this worker's privileges; half of the workers do. */
void become_nobody()
{
	if (setgroups(0, nullptr) || setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
		_exit(3);
	prctl(PR_SET_DUMPABLE, 1);
}

} // namespace

void burn(uint64_t rounds)
{
	volatile uint64_t sink = 0;

	for (uint64_t i = 0; i < rounds; i++) {
		for (unsigned j = 0; j < 1000; j++)
			sink = sink + j;
		if (i % 16 == 0)
			getppid();
	}
}

void be_worker(unsigned number, unsigned generation, unsigned threads)
{
	const Place here = {number, generation, 0, 0, 0};
	Random random(mix(shared->seed, mix(number, generation)));
	struct sigaction nothing = {};
	std::vector<std::thread> others;

	nothing.sa_handler = [](int) {};
	sigaction(SIGUSR1, &nothing, nullptr);
	sigaction(SIGALRM, &nothing, nullptr);
	place = here;
	if (number % 4 == 3)
		enter_group();
	if (number % 2)
		become_nobody();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	Arena::map_all(random);
	for (unsigned i = 0; i < nr_devices; i++)
		open_device(random);
	if (random.one_in(3)) {
		const itimerval often = {{0, 2000}, {0, 2000}};
		setitimer(ITIMER_REAL, &often, nullptr);
	}
	for (unsigned i = 1; i < threads; i++)
		others.emplace_back([here, i, steps = random.between(50, 3000)] {
			place = here;
			run_thread(i, steps);
		});
	run_thread(0, random.between(50, 3000));
	/* The first thread of a process may end before the others. */
	if (random.one_in(4))
		syscall(SYS_exit, 0);
	for (auto &thread : others)
		thread.join();
	end_children();
	_exit(0);
}

} // namespace fuzz
