// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/fork/births.cpp  Events in the life of a child before its first instruction.
 */
#include "tests/guest/support/burner.h"
#include "tests/guest/support/device.h"
#include "tests/support/catch.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <sched.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
const uintptr_t text = Burner::usual;

profil_start followed(const profil_region &region, uint64_t period = period_10khz)
{
	auto how = describe(region, period);

	how.flags = PROFIL_FOLLOW;
	return how;
}

/** A process whose profile counts in memory that it shares with its children. */
struct Family {
	Memory counters{page, MAP_SHARED};
	profil_region region = one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8);
	Device device;

	void start(uint64_t period = period_10khz) { device.start(followed(region, period)); }
	uint64_t counted() const { return counter<uint64_t>(counters); }
};

} // namespace

TEST_CASE_METHOD(AtRest, "a child that is killed before its first instruction leaves nothing behind",
		 "[fork][lifetime]")
{
	Family family;

	Child parent([&] {
		run_before_my_children();
		family.start();
		for (int i = 0; i < 20; i++) {
			const pid_t pid = need(fork(), "fork");
			if (!pid)
				_exit(3);
			kill(pid, SIGKILL);
			int status;
			need(waitpid(pid, &status, 0), "waitpid");
			need_that(WIFSIGNALED(status), "the child never ran");
		}
		need_that(family.device.status().forks_lost == 0, "no child is lost");
		need_that(family.counted() == 0, "no tick is counted");
	});
	parent.join();
	CHECK(soon([&] { return module_stat("profiles") == profiles(); }));
}

TEST_CASE_METHOD(AtRest, "a child that is stopped before its first instruction counts when it goes on",
		 "[fork]")
{
	Family family;

	const auto counted = in_child([&] {
		const Burner burner;
		int status;

		run_before_my_children();
		family.start();
		const pid_t pid = need(fork(), "fork");
		if (!pid) {
			burner.burn_until(text, [&] { return family.counted() >= 10; });
			_exit(family.device.status().counted == family.counted() ? 0 : 1);
		}
		kill(pid, SIGSTOP);
		need(waitpid(pid, &status, WUNTRACED), "waitpid");
		need_that(WIFSTOPPED(status), "the child is stopped");
		need_that(family.counted() == 0, "the child has not run");
		kill(pid, SIGCONT);
		need(waitpid(pid, &status, 0), "waitpid");
		need_that(status == 0, "the child counted all ticks");
		return family.counted();
	});
	CHECK(counted >= 10);
}

TEST_CASE_METHOD(AtRest, "a child that is traced from its creation is profiled", "[fork]")
{
	Family family;
	const Burner burner;
	const bool kill_it = GENERATE(false, true);

	CAPTURE(kill_it);
	Child parent([&] {
		family.start();
		need(static_cast<int>(ptrace(PTRACE_TRACEME, 0, 0, 0)), "PTRACE_TRACEME");
		raise(SIGSTOP);
		const pid_t pid = need(fork(), "fork");
		if (!pid) {
			burner.burn_until(text, [&] { return family.counted() >= 10; });
			_exit(family.device.status().counted == family.counted() ? 7 : 1);
		}
		pause();
	});
	int status;
	unsigned long child = 0;

	need(waitpid(parent.pid(), &status, 0), "waitpid");
	need(static_cast<int>(ptrace(PTRACE_SETOPTIONS, parent.pid(), 0, PTRACE_O_TRACEFORK)),
	     "PTRACE_SETOPTIONS");
	need(static_cast<int>(ptrace(PTRACE_CONT, parent.pid(), 0, 0)), "PTRACE_CONT");
	need(waitpid(parent.pid(), &status, 0), "waitpid");
	REQUIRE(status >> 8 == (SIGTRAP | PTRACE_EVENT_FORK << 8));
	need(static_cast<int>(ptrace(PTRACE_GETEVENTMSG, parent.pid(), 0, &child)), "PTRACE_GETEVENTMSG");
	/* The child is stopped before its first instruction. */
	need(waitpid(static_cast<pid_t>(child), &status, __WALL), "waitpid");
	CHECK(WIFSTOPPED(status));
	CHECK(family.counted() == 0);
	/* The child is already profiled: it has a binding of its own. */
	CHECK(module_stat("images") == images() + 2);

	if (kill_it)
		need(kill(static_cast<pid_t>(child), SIGKILL), "kill");
	else
		need(static_cast<int>(ptrace(PTRACE_CONT, child, 0, 0)), "PTRACE_CONT");
	need(waitpid(static_cast<pid_t>(child), &status, __WALL), "waitpid");
	if (!kill_it) {
		CHECK(WIFEXITED(status));
		CHECK(WEXITSTATUS(status) == 7);
		CHECK(family.counted() >= 10);
	}
	CHECK(soon([&] { return module_stat("images") == images() + 1; }));
}

TEST_CASE_METHOD(AtRest, "a child that may pin no page counts every tick all the same", "[fork]")
{
	Family family;
	const auto lost = module_stat("forks_lost");
	const bool of_user = GENERATE(true, false);
	const Setting limit = module_parameter("max_user_pages", of_user ? 1 : 2048);
	struct Seen {
		uint64_t counter, counted, pinned, locked, lost;
	};

	CAPTURE(of_user);
	const auto seen = in_child([&] {
		const Burner burner;

		become_nobody();
		family.start(period_nobody);
		burn_ticks(family.device, burner, text, 3);
		need_that(family.device.status().pinned == page, "the parent has pinned a page");
		/* The limit that was enough for the parent is not enough for the child. */
		const rlimit none = {0, 0};
		if (!of_user)
			need(setrlimit(RLIMIT_MEMLOCK, &none), "setrlimit");
		auto its = in_child([&] {
			const auto before = family.counted();

			burn_ticks(family.device, burner, text, 3);
			const auto status = family.device.status();
			return Seen{family.counted() - before, status.counted, status.pinned, locked_bytes(),
				    0};
		});
		const auto mine = family.device.status();
		need_that(mine.state == PROFIL_STATE_RUNNING, "the parent's profile goes on");
		its.lost = mine.forks_lost;
		return its;
	});
	CHECK(seen.counted >= 3);
	CHECK(seen.counter == seen.counted);
	CHECK(seen.pinned == 0);
	CHECK(seen.locked == 0);
	CHECK(seen.lost == 0);
	CHECK(module_stat("forks_lost") == lost);
}

TEST_CASE_METHOD(AtRest, "a child whose gate is beyond its user's limit of pages is off and counted as lost",
		 "[fork]")
{
	Family family;
	const Memory gate(page);
	const auto lost = module_stat("forks_lost");
	const Setting limit = module_parameter("max_user_pages", 1);
	struct Seen {
		uint32_t state;
		uint64_t lost;
	};

	const auto seen = in_child([&] {
		become_nobody();
		auto how = followed(family.region, period_nobody);
		how.gate = gate.address();
		family.device.start(how);
		const auto state = in_child([&] { return family.device.status().state; });
		const auto mine = family.device.status();
		need_that(mine.state == PROFIL_STATE_RUNNING, "the parent's profile goes on");
		return Seen{state, mine.forks_lost};
	});
	CHECK(seen.state == PROFIL_STATE_NONE);
	CHECK(seen.lost == 1);
	CHECK(module_stat("forks_lost") == lost + 1);
}

TEST_CASE_METHOD(AtRest, "samples taken during a fork leave no gap in the child's array", "[fork]")
{
	/* So much memory that copying it takes many ticks. */
	const Memory bulk(64 << 20);
	const Memory samples(16 * page);
	const Device device;

	memset(bulk.at(), 1, bulk.bytes());
	for (int i = 0; i < 6; i++) {
		const uint32_t width = i % 2 ? 4 : 8;
		auto how = describe_samples(samples.at(), samples.bytes() / 8, width);

		how.flags = PROFIL_FOLLOW | PROFIL_KERNEL_TICKS;
		memset(samples.at(), 0, samples.bytes());
		device.start(how);
		const auto gaps = in_child([&] {
			const Burner burner;
			const auto inherited = device.status().stored;

			burner.burn_until(text, [&] { return device.status().stored >= inherited + 10; });
			const auto stored = device.stop();
			return width == 4 ? std::count(samples.at<uint32_t>(),
						       samples.at<uint32_t>() + stored, 0)
					  : std::count(samples.at<uint64_t>(),
						       samples.at<uint64_t>() + stored, 0);
		});
		CAPTURE(width);
		CHECK(gaps == 0);
		device.stop();
	}
}

TEST_CASE_METHOD(AtRest, "a storm of forks loses no child", "[fork][slow]")
{
	Family family;
	const auto lost = module_stat("forks_lost");
	const Burner burner;

	burner.plant_loop(text);
	const auto counted = in_child([&] {
		family.start();
		/* More children at once than the profile's pool has nodes. */
		for (int i = 0; i < 200; i++) {
			const pid_t pid = need(fork(), "fork");
			if (!pid) {
				need_that(family.device.status().state == PROFIL_STATE_RUNNING, "profiled");
				Burner::spin(text, 200'000 / slowness());
				if (i == 0)
					burn_ticks(family.device, burner, text, 1);
				_exit(0);
			}
		}
		int status, failed = 0;
		while (wait(&status) > 0)
			failed += status != 0;
		need_that(failed == 0, "every child is profiled");
		return family.counted();
	});
	CHECK(module_stat("forks_lost") == lost);
	CHECK(module_stat("pool_empty") == 0);
	CHECK(counted > 0);
}
