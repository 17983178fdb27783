// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/race/stopped.cpp  Stopped targets: they have no ticks, but profiles can be
 * attached and detached.
 */
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

/** Attach, detach and check while the target is stopped and while it runs. */
void hold_and_look(pid_t pid, const Hold &hold, unsigned number)
{
	const Device device, witness;
	const Memory counters(page);
	const auto first = one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8);
	const auto second = one_counter(text, text + CODE_LOOP_RETURN, counters.at(64), 8);
	const Fd proof = proof_of(pid);

	await_no_clock();
	/* Otherwise the first profile counts ticks that the second does not. */
	hold.stop(pid);
	const auto whole = witness.attach(describe(second), proof.get());
	uint64_t moved = 0;
	auto profile = device.attach(describe(first), proof.get());

	hold.go_on(pid);
	for (unsigned i = 0; i < number; i++) {
		hold.stop(pid);
		const auto counted = counter<uint64_t>(counters);
		const auto seen = counter<uint64_t>(counters, 8);
		if (i % 4 == 1) {
			device.stop(profile);
			profile = device.attach(describe(first), proof.get());
			moved += counted;
			*counters.at<uint64_t>() = 0;
		}
		Burner::spin(text, 20'000);
		CHECK(counter<uint64_t>(counters) == (i % 4 == 1 ? 0 : counted));
		CHECK(counter<uint64_t>(counters, 8) == seen);
		CHECK(witness.status(whole).counted == seen);
		hold.go_on(pid);
		if (i % 8 == 0) {
			const auto at = counter<uint64_t>(counters, 8);
			CHECK(soon([&] { return counter<uint64_t>(counters, 8) > at; }));
		}
	}
	hold.stop(pid);
	CHECK(moved + counter<uint64_t>(counters) == counter<uint64_t>(counters, 8));
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

/* The other threads of a process may run long after its first one has ended. */
TEST_CASE_METHOD(AtRest, "a process whose first thread ends at any time is counted in full", "[race]")
{
	const Burner burner;
	const Memory counters(page), thread(page, MAP_SHARED);
	const ModuleCount all;
	unsigned attached = 0;

	burner.plant_loop(text);
	for (unsigned i = 0; i < rounds(30); i++) {
		const Device device;
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
		const pid_t tid = *thread.at<pid_t>();
		auto how = describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8));
		how.flags = PROFIL_FOLLOW;
		/* A proof for the thread group leader is stale as soon as the leader ends. */
		for (const pid_t pid : {target.pid(), tid}) {
			const Fd event = open_proof({.pid = pid});
			how.proof = event.get();
			const int error = event.get() < 0 ? errno : device.call(PROFIL_ATTACH, &how);
			need_that(!error || (error == ESRCH && pid != tid), "only the leader may be gone");
			attached += !error;
		}
		go.open();
		target.join();
		const auto events = device.read_events();
		CHECK(events.size() == 1);
		CHECK(events[0].what == PROFIL_EVENT_EXIT);
	}
	CHECK(attached >= rounds(30));
	CHECK(all.becomes(counter<uint64_t>(counters)));
	CHECK(counter<uint64_t>(counters) > 0);
}
