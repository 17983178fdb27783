// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/hostile/storm.cpp  A user's processes fork, execute programs and start profiles as fast
 * as they can.
 */
#include "tests/guest/hostile/support.h"
#include "tests/guest/record/support.h"
#include "tests/guest/support/cpu.h"
#include "tests/support/skip.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <sched.h>
#include <unistd.h>
#include <vector>

using namespace guest;
using namespace guest::hostile;

namespace {

/**
 * A machine so busy that the kernel's work items wait, as in a burst of forks that outruns them.
 * Guests are too slow for such a burst.
 */
class Busy {
	const Setting queue_{"/sys/devices/virtual/workqueue/cpumask", "2"};
	/*
	 * run_before_others() turns fair servers off; kernels without them leave time for other
	 * tasks by real-time throttling.
	 */
	std::unique_ptr<Setting> throttle_ =
		std::filesystem::exists("/sys/kernel/debug/sched/fair_server")
			? nullptr
			: std::make_unique<Setting>("/proc/sys/kernel/sched_rt_runtime_us", "-1");
	const Child hog_{[] {
		stay_on(1);
		run_before_others();
		for (;;)
			;
	}};
};

/** Fork for ever, while as many sessions as possible follow the process. */
void be_storm(const Gate &followed, const Gate &go, std::atomic<unsigned> &forks)
{
	const std::vector<Device> sessions(8);
	const Memory table(page);

	for (const Device &session : sessions)
		record(session, getpid(), table, PROFIL_FOLLOW);
	followed.open();
	for (go.wait();; forks++)
		Child([] {}).join();
}

/** The results of another user's session, which follows a process with a few children. */
struct Following {
	uint64_t forks_lost;
	unsigned forks, exits;
};

Following follow(unsigned children, const Gate &followed, const Gate &go)
{
	become(victim, 0);
	const Gate may_fork;
	Child target([&] {
		may_fork.wait();
		for (unsigned i = 0; i < children; i++)
			Child([] {}).join();
	});
	Recording recording(512, period_nobody);
	Following seen = {};

	recording.begin_with(user_proof(target.pid()), PROFIL_FOLLOW | PROFIL_RECORD_PROCESSES);
	followed.open();
	go.wait();
	may_fork.open();
	target.join();
	soon([&] {
		const auto all = recording.owners("guest");

		seen.forks = static_cast<unsigned>(all.size()) - 1;
		seen.exits =
			static_cast<unsigned>(std::ranges::count(all, PROFIL_OWNER_ENDED, &Described::state));
		return seen.exits == children + 1;
	});
	seen.forks_lost = recording.status().forks_lost;
	return seen;
}

} // namespace

TEST_CASE_METHOD(AtRest, "PROFIL_STOP_ALL returns while users start profiles without end", "[hostile]")
{
	std::vector<Child> starters;

	for (int i = 0; i < 8; i++)
		starters.push_back(as_user(attacker, [] {
			const Device device;
			const Memory counters(page);

			for (;;)
				device.start(count_in(counters.at()));
		}));
	REQUIRE(soon([] { return module_stat("images") == 8; }));
	Child root([] { stop_all(); });
	CHECK(ends(root));
	starters.clear();
	CHECK(root.reap() == 0);
}

TEST_CASE_METHOD(
	AtRest,
	"a fork storm of one user's processes does not make another user's session miss forks or exits",
	"[hostile]")
{
	if (read_file("/proc/version").find("PREEMPT_RT") != std::string::npos)
		support::skip("RCU's callbacks are in threads, which a busy CPU here would keep waiting");

	const PerfForUsers users;
	constexpr unsigned children = 3;
	const Memory shared(page, MAP_SHARED);
	auto &forks = *shared.at<std::atomic<unsigned>>();
	const Gate followed, go, storm_followed, storm_go;
	ChildOf<Following> other([&] {
		stay_on(0);
		return follow(children, followed, go);
	});
	const Child storm = as_user(attacker, [&] {
		stay_on(0);
		be_storm(storm_followed, storm_go, forks);
	});

	stay_on(0);
	followed.wait();
	storm_followed.wait();
	/* No assertions before busy.reset(): their output needs a work item, too. */
	auto busy = std::make_unique<Busy>();
	storm_go.open();
	const bool stormed = soon([&] { return forks > 100; });
	go.open();
	const auto seen = other.result();
	busy.reset();
	/* A debug kernel forks too slowly for a storm. */
	CHECK((stormed || slowness() > 1));
	CHECK(seen.forks_lost == 0);
	CHECK(seen.forks == children);
	CHECK(seen.exits == children + 1);
}
