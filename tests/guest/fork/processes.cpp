// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/fork/processes.cpp  Processes created by other calls than fork(2), and exec, which
 * ends a profile.
 */
#include "tests/guest/support/burner.h"
#include "tests/guest/support/device.h"
#include "tests/support/catch.h"

#include <csignal>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
const uintptr_t text = Burner::usual;

/**
 * Create a process that shares the caller's memory.  With CLONE_VFORK, the caller waits for the
 * child's end.  Without it, @run must outlive the child, so @run is never a temporary.
 */
pid_t share_memory(std::function<int()> &run, int flags)
{
	static Memory stack(64 * page);
	const auto call = [](void *function) {
		return (*static_cast<const std::function<int()> *>(function))();
	};

	return need(clone(call, stack.at(stack.bytes()), CLONE_VM | SIGCHLD | flags, &run), "clone");
}

/** The output of `uapi_target state`, started by posix_spawn(3). */
uint32_t spawned_state()
{
	int ends[2];
	char digit = 0;
	posix_spawn_file_actions_t actions;
	const auto path = program("uapi_target");
	const char *arguments[] = {path.c_str(), "state", nullptr};
	pid_t pid;

	need(pipe(ends), "pipe");
	const Fd from(ends[0]);
	Fd to(ends[1]);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, to.get(), 1);
	need_that(posix_spawn(&pid, path.c_str(), &actions, nullptr, const_cast<char **>(arguments),
			      nullptr) == 0,
		  "posix_spawn");
	posix_spawn_file_actions_destroy(&actions);
	to.reset();
	need_that(read(from.get(), &digit, 1) == 1, "the program prints its state");
	need(waitpid(pid, nullptr, 0), "waitpid");
	return digit - '0';
}

profil_start followed(const profil_region &region)
{
	auto how = describe(region);

	how.flags = PROFIL_FOLLOW;
	return how;
}

} // namespace

TEST_CASE_METHOD(AtRest, "a vfork child counts in its parent's profile and can end it", "[fork]")
{
	const Device device;
	const Burner burner;
	const Memory counters(page);
	const auto region = one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8);
	uint64_t its = 0;

	device.start(followed(region));
	const auto mine = burn_ticks(device, burner, text, 5);
	std::function<int()> burns = [&] {
		its = burn_ticks(device, burner, text, 5);
		return 0;
	};
	auto pid = share_memory(burns, CLONE_VFORK);
	need(waitpid(pid, nullptr, 0), "waitpid");
	CHECK(its >= 5);
	CHECK(counter<uint64_t>(counters) == mine + its);
	CHECK(device.status().counted == mine + its);
	CHECK(device.status().processes == 1);

	std::function<int()> stops = [&] {
		device.stop();
		return 0;
	};
	pid = share_memory(stops, CLONE_VFORK);
	need(waitpid(pid, nullptr, 0), "waitpid");
	CHECK(device.status().state == PROFIL_STATE_NONE);
}

TEST_CASE_METHOD(AtRest, "processes that share memory share its profile", "[fork][lifetime]")
{
	const Device device;
	const Burner burner;
	const Memory counters(2 * page);
	const std::vector<profil_region> regions = {
		one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8),
		one_counter(text + 64, text + 64 + CODE_LOOP_RETURN, counters.at(8), 8)};

	device.start(describe(regions));
	std::function<int()> burns = [&] {
		burner.burn_until(text + 64, [&] { return counter<uint64_t>(counters, 1) >= 20; });
		return 0;
	};
	const auto pid = share_memory(burns, 0);
	burner.burn_until(text, [&] { return counter<uint64_t>(counters, 0) >= 20; });
	need(waitpid(pid, nullptr, 0), "waitpid");
	const auto status = device.status();
	CHECK(status.counted == counter<uint64_t>(counters, 0) + counter<uint64_t>(counters, 1));
	CHECK(status.processes == 1);
	CHECK(status.state == PROFIL_STATE_RUNNING);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "a spawned program is not profiled, and its parent still is", "[fork]")
{
	const Device device;
	const Burner burner;
	const Memory counters(page);
	const auto region = one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8);

	device.start(followed(region));
	CHECK(spawned_state() == PROFIL_STATE_NONE);
	const auto ticks = burn_ticks(device, burner, text, 5);
	CHECK(counter<uint64_t>(counters) == ticks);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "exec ends a self profile and gives its memory back", "[fork][lifetime]")
{
	int to_child[2], from_child[2];

	need(pipe(to_child), "pipe");
	need(pipe(from_child), "pipe");
	Child child([&] {
		const Device device;
		const Burner burner;
		const Memory counters(page);
		const auto path = program("uapi_target");

		device.start(describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8)));
		burn_ticks(device, burner, text, 1);
		need_that(module_stat("pinned_pages") == pages() + 1, "the page is pinned");
		close(to_child[1]);
		dup2(to_child[0], 0);
		dup2(from_child[1], 1);
		execl(path.c_str(), path.c_str(), "wait", nullptr);
		need(-1, path.c_str());
	});
	const Fd from(from_child[0]);
	Fd to(to_child[1]);
	close(to_child[0]);
	close(from_child[1]);
	char line[8];
	CHECK(read(from.get(), line, sizeof(line)) == 8);
	/* The new program is alive and waits; nothing of the old one is left. */
	CHECK(soon([&] { return module_stat("profiles") == profiles(); }));
	CHECK(soon([&] { return module_stat("pinned_pages") == pages(); }));
	CHECK(soon([&] { return locked_bytes(child.pid()) == 0; }));
	to.reset();
	child.join();
}

TEST_CASE_METHOD(AtRest, "the exit of the first thread changes nothing for the others", "[fork]")
{
	const Memory counters(page, MAP_SHARED);

	Child child([&] {
		static const Memory *memory = &counters;
		Device().start(describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8)));
		pthread_t thread;
		const auto rest = [](void *) -> void * {
			const Burner burner;
			const auto stat = "/proc/" + std::to_string(getpid()) + "/stat";
			while (read_file(stat).find(") Z ") == std::string::npos)
				usleep(1000);
			burner.burn_until(text, [] { return counter<uint64_t>(*memory) >= 50; });
			_exit(Device().status().counted >= 50 ? 0 : 1);
		};
		need_that(pthread_create(&thread, nullptr, rest, nullptr) == 0, "pthread_create");
		/* pthread_exit() would unwind the test's stack first. */
		syscall(SYS_exit, 0);
	});
	child.join();
	CHECK(counter<uint64_t>(counters) >= 50);
}

TEST_CASE_METHOD(AtRest, "threads that come and go all the time are counted in full", "[fork][lifetime]")
{
	const Device device;
	const Burner burner;
	const Memory counters(page);

	burner.plant_loop(text);
	device.start(describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8)));
	for (int i = 0; i < 50 || counter<uint64_t>(counters) < 100; i++) {
		std::thread a([] { Burner::spin(text, 500'000); }), b([] { Burner::spin(text, 500'000); });
		a.join();
		b.join();
	}
	const auto status = device.status();
	CHECK(status.counted == counter<uint64_t>(counters));
	CHECK(status.processes == 1);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "processes that exit while they are profiled leave nothing behind",
		 "[fork][lifetime]")
{
	const Burner burner;
	const Memory counters(page, MAP_SHARED);
	const auto region = one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8);

	burner.plant_loop(text);
	for (int i = 0; i < 20; i++) {
		/* Some have a child that outlives them, some are killed by a signal. */
		Child child([&] {
			const Device device;
			device.start(followed(region));
			if (i % 2) {
				const pid_t pid = fork();
				Burner::spin(text, 1'000'000);
				if (pid && i % 4 == 1)
					_exit(0);
			}
			Burner::spin(text, 1'000'000);
			if (i % 3 == 0)
				raise(SIGKILL);
		});
		child.reap();
	}
	CHECK(counter<uint64_t>(counters) > 0);
}
