// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/sharing.cpp  Processes that share memory, in system-wide recordings with an
 * owner for each process.
 */
#include "tests/guest/record/support.h"
#include "tests/support/catch.h"
#include "tests/support/recorded.h"

#include <atomic>
#include <csignal>
#include <functional>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>

using namespace guest;

namespace {

const uintptr_t text = Burner::usual;

/** The ticks in the file at @p place of a process, in a recording whose owners are processes. */
uint64_t ticks_of(const Recording &recording, pid_t pid, const std::string &place)
{
	return recording.sum([&](const Row &row) { return row.owner.pid == pid && row.text.place == place; });
}

/**
 * Create a process that shares the caller's memory, once in each program.  It stores its ID in @p child
 * and runs the loop.
 */
pid_t share_memory(const std::function<void(uintptr_t)> &spin, std::atomic<pid_t> &child, int flags = 0)
{
	static Memory stack(65536);
	static std::function<void()> run;

	run = [&] {
		child = getpid();
		spin(text);
	};
	const auto call = [](void *) {
		run();
		return 0;
	};

	return need(clone(call, stack.at(stack.bytes()), CLONE_VM | SIGCHLD | flags, nullptr), "clone");
}

} // namespace

TEST_CASE_METHOD(AtRest,
		 "in a system-wide recording, no ticks of a parent count for its child that has ended",
		 "[record]")
{
	const int flags = GENERATE(0, CLONE_VFORK);
	const LoopFile file("profil-shared");
	Memory pids(4096, MAP_SHARED);
	auto &child = *pids.at<std::atomic<pid_t>>();
	Steps parent([&](const auto &spin) {
		file.map(text);
		need(waitpid(share_memory(spin, child, flags), nullptr, 0), "waitpid");
		spin(text);
	});
	Recording recording;

	/* The child has the first tick in the memory. */
	REQUIRE(soon([&] { return child != 0; }));
	REQUIRE(recording.begin_everybody(PROFIL_RECORD_PROCESSES) == 0);
	CHECK(grows([&] { return ticks_of(recording, child, file.path()); }));
	parent.next();
	CHECK(grows([&] { return ticks_of(recording, parent.pid(), file.path()); }));
	const uint64_t before = ticks_of(recording, child, file.path());

	CHECK(grows([&] { return ticks_of(recording, parent.pid(), file.path()); }));
	CHECK(ticks_of(recording, child, file.path()) == before);
}

TEST_CASE_METHOD(AtRest,
		 "in a system-wide recording, no ticks of a child count for its parent that has ended",
		 "[record]")
{
	const LoopFile file("profil-shared");
	Memory pids(4096, MAP_SHARED);
	auto &child = *pids.at<std::atomic<pid_t>>();
	Steps parent([&](const auto &spin) {
		file.map(text);
		spin(text);
		share_memory(spin, child);
		_exit(0);
	});
	Recording recording;

	REQUIRE(recording.begin_everybody(PROFIL_RECORD_PROCESSES) == 0);
	CHECK(grows([&] { return ticks_of(recording, parent.pid(), file.path()); }));
	parent.next();
	REQUIRE(soon([&] { return child != 0; }));
	CHECK(grows([&] { return ticks_of(recording, child, file.path()); }));
	need(kill(child, SIGKILL), "kill");
}

TEST_CASE_METHOD(
	AtRest, "in a system-wide recording, a process of zombies has no ticks of one that shares its memory",
	"[record]")
{
	constexpr unsigned threads = 80;
	const LoopFile file("profil-shared");
	const Gate traced;
	Memory pids(4096, MAP_SHARED);
	auto &child = *pids.at<std::atomic<pid_t>>();
	auto *const tids = pids.at<std::atomic<pid_t>>(sizeof(pid_t));
	Steps parent([&](const auto &spin) {
		file.map(text);
		for (unsigned i = 0; i < threads; i++)
			std::thread([&, i] {
				tids[i] = gettid();
				traced.wait();
				syscall(SYS_exit, 0);
			}).detach();
		spin(text);
		share_memory(spin, child);
		/* The leader alone: the process cannot be reaped before its other threads. */
		syscall(SYS_exit, 0);
	});
	Recording recording;

	/* A traced thread that has exited stays until its tracer waits for it. */
	for (unsigned i = 0; i < threads; i++) {
		REQUIRE(soon([&] { return tids[i] != 0; }));
		need(::ptrace(PTRACE_SEIZE, tids[i].load(), nullptr, nullptr), "PTRACE_SEIZE");
	}
	traced.open(threads);
	REQUIRE(recording.begin_everybody(PROFIL_RECORD_PROCESSES) == 0);
	CHECK(grows([&] { return ticks_of(recording, parent.pid(), file.path()); }));
	parent.next();
	REQUIRE(soon([&] { return child != 0; }));
	CHECK(grows([&] { return ticks_of(recording, child, file.path()); }));
	need(kill(child, SIGKILL), "kill");
	for (unsigned i = 0; i < threads; i++)
		need(waitpid(tids[i], nullptr, __WALL), "waitpid");
}

TEST_CASE_METHOD(
	AtRest,
	"in a system-wide recording, no ticks of a parent count for its child that executes the same program",
	"[record]")
{
	const std::string path = program("uapi_target"), where = std::to_string(text);
	const Child parent([&] {
		execl(path.c_str(), path.c_str(), "vfork", where.c_str(), nullptr);
		need(-1, path.c_str());
	});
	const pid_t child = support::child_of(parent.pid());
	Recording recording;
	const auto ticks = [&](pid_t pid) {
		return recording.sum([&](const Row &row) { return row.owner.pid == pid; });
	};

	/* The child has the first tick in the memory. */
	REQUIRE(recording.begin_everybody(PROFIL_RECORD_PROCESSES) == 0);
	CHECK(grows([&] { return ticks(child); }));
	need(kill(child, SIGUSR1), "kill");
	CHECK(grows([&] { return ticks(parent.pid()); }));
	CHECK(grows([&] { return ticks(child); }));
	need(kill(child, SIGKILL), "kill");
}
