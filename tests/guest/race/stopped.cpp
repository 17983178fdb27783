// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/race/stopped.cpp  Stopped targets have no ticks, but recordings of them can
 * begin and end.
 */
#include "tests/guest/record/support.h"
#include "tests/guest/support/race.h"
#include "tests/support/catch.h"

#include <csignal>
#include <elf.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
const uintptr_t text = Burner::usual;

struct Hold {
	std::function<void(pid_t)> stop, go_on;
};

/** The ticks in user mode. */
uint64_t in_loop(const Recording &recording)
{
	return recording.of_kind(PROFIL_KIND_MEMORY);
}

/** Begin and end recordings, and check them, while the target is stopped and while it runs. */
void hold_and_look(pid_t pid, const Hold &hold, unsigned number)
{
	Recording witness;
	auto recording = std::make_unique<Recording>();

	await_no_clock();
	/* Stop the target, or the first recording counts ticks that the second does not. */
	hold.stop(pid);
	witness.begin(pid);
	recording->begin(pid);
	uint64_t moved = 0;

	hold.go_on(pid);
	for (unsigned i = 0; i < number; i++) {
		hold.stop(pid);
		auto counted = in_loop(*recording);
		const auto seen = in_loop(witness);
		if (i % 4 == 1) {
			recording = std::make_unique<Recording>();
			recording->begin(pid);
			moved += counted;
			counted = 0;
		}
		Burner::spin(text, 20'000);
		CHECK(in_loop(*recording) == counted);
		CHECK(in_loop(witness) == seen);
		hold.go_on(pid);
		if (i % 8 == 0) {
			const auto at = in_loop(witness);
			CHECK(soon([&] { return in_loop(witness) > at; }));
		}
	}
	hold.stop(pid);
	CHECK(moved + in_loop(*recording) == in_loop(witness));
	hold.go_on(pid);
}

void must_stop(pid_t pid, int flags)
{
	int status;

	need(waitpid(pid, &status, flags), "waitpid");
	need_that(WIFSTOPPED(status), "the target is stopped");
}

} // namespace

TEST_CASE_METHOD(AtRest, "a process that SIGSTOP stops and SIGCONT continues counts while it runs", "[race]")
{
	const Burner burner;

	burner.plant_loop(text);
	const Child target = burning_child(text, 3);
	hold_and_look(target.pid(),
		      {[](pid_t pid) {
			       need(kill(pid, SIGSTOP), "kill");
			       must_stop(pid, WUNTRACED);
		       },
		       [](pid_t pid) { need(kill(pid, SIGCONT), "kill"); }},
		      rounds(50));
}

TEST_CASE_METHOD(AtRest, "a process that a debugger stops counts while it runs", "[race]")
{
	const Burner burner;

	burner.plant_loop(text);
	const Child target = burning_child(text);
	need(static_cast<int>(ptrace(PTRACE_SEIZE, target.pid(), 0, 0)), "PTRACE_SEIZE");
	hold_and_look(
		target.pid(),
		{[](pid_t pid) {
			 user_regs_struct registers;
			 iovec all = {&registers, sizeof(registers)};
			 need(static_cast<int>(ptrace(PTRACE_INTERRUPT, pid, 0, 0)), "PTRACE_INTERRUPT");
			 must_stop(pid, __WALL);
			 need(static_cast<int>(ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &all)),
			      "PTRACE_GETREGSET");
			 need(static_cast<int>(ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, &all)),
			      "PTRACE_SETREGSET");
		 },
		 [](pid_t pid) { need(static_cast<int>(ptrace(PTRACE_CONT, pid, 0, 0)), "PTRACE_CONT"); }},
		rounds(60));
}

TEST_CASE_METHOD(AtRest, "a process that its control group freezes counts while it runs", "[race]")
{
	const Burner burner;
	const Cgroup group("profil-freezer");

	burner.plant_loop(text);
	const Child target = burning_child(text, 2);
	group.enter(target.pid());
	hold_and_look(target.pid(), {[&](pid_t) { group.freeze(true); }, [&](pid_t) { group.freeze(false); }},
		      rounds(60));
}

/* The other threads of a process may run long after its first thread has ended. */
TEST_CASE_METHOD(AtRest, "a process whose first thread ends at any time is counted in full", "[race]")
{
	const Burner burner;
	const Memory thread(page, MAP_SHARED);
	const ModuleCount all;
	uint64_t counted = 0;

	burner.plant_loop(text);
	for (unsigned i = 0; i < rounds(30); i++) {
		Recording recording;
		const Gate go;
		__atomic_store_n(thread.at<pid_t>(), 0, __ATOMIC_RELAXED);
		Child target([&] {
			std::thread([&] {
				__atomic_store_n(thread.at<pid_t>(), gettid(), __ATOMIC_RELAXED);
				go.wait();
				burner.burn(text, 2'000'000);
				_exit(0);
			}).detach();
			Burner::spin(text, 1 + i % 8 * 2'000);
			syscall(SYS_exit, 0);
		});
		while (!__atomic_load_n(thread.at<volatile pid_t>(), __ATOMIC_RELAXED))
			;
		const pid_t pid = target.pid(), tid = *thread.at<pid_t>();
		/* A proof for the thread group leader is stale as soon as the leader ends. */
		const Fd leaders = open_proof({.pid = pid});
		const int error = leaders.get() < 0
					  ? errno
					  : recording.try_begin_with(leaders, PROFIL_RECORD_PROCESSES);
		need_that(!error || error == ESRCH, "the leader may be gone");
		if (error)
			recording.begin(tid, PROFIL_RECORD_PROCESSES);
		else
			CHECK(recording.add(tid) == EEXIST);
		go.open();
		target.join();
		const auto owners = recording.owners("guest");
		REQUIRE(owners.size() == 1);
		CHECK(owners[0].pid == pid);
		CHECK(owners[0].state == PROFIL_OWNER_ENDED);
		recording.finish();
		counted += recording.status().counted;
		CHECK(recording.sum() == recording.status().counted + recording.status().kernel);
	}
	CHECK(all.becomes(counted));
	CHECK(counted > 0);
}
