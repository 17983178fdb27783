// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/spared.cpp  Recordings of everybody whose memory cgroup is full. */
#include "tests/guest/record/support.h"
#include "tests/guest/support/race.h"
#include "tests/support/catch.h"

#include <chrono>
#include <set>
#include <sstream>

using namespace guest;

namespace {

const uintptr_t text = Burner::usual;

/** How often somebody has reclaimed because a group was at its limit. */
uint64_t reclaims(const Cgroup &group)
{
	std::istringstream lines(group.get("memory.events"));
	std::string name;
	uint64_t number;

	while (lines >> name >> number)
		if (name == "max")
			return number;
	throw std::runtime_error("memory.events has no line of max");
}

/** Set a limit that the group is beyond already.  The recorder must not be killed for it. */
void fill_up(const Cgroup &group, pid_t recorder)
{
	std::ofstream("/proc/" + std::to_string(recorder) + "/oom_score_adj") << -1000 << std::flush;
	group.set("memory.max", "64K");
}

} // namespace

TEST_CASE_METHOD(AtRest, "no process reclaims memory on behalf of a user who records everybody",
		 "[record][slow]")
{
	constexpr unsigned burners = 4;
	constexpr uint64_t ns_each = 200'000'000;
	const Cgroup group("recorder");
	const Gate begun, end;
	const Memory seen(4096, MAP_SHARED);
	const Burner burner;

	burner.plant_loop(text);
	Child recorder([&] {
		group.enter();
		Recording recording(4096);
		need_that(recording.begin_everybody(PROFIL_RECORD_PROCESSES) == 0, "PROFIL_RECORD");
		begun.open();
		end.wait();
		*seen.at<uint64_t>() = recording.status().ticks;
	});

	begun.wait();
	fill_up(group, recorder.pid());
	const uint64_t before = reclaims(group);
	const auto from = std::chrono::steady_clock::now();
	for (unsigned i = 0; i < burners; i++) {
		const Child child = burning_child(text);
		REQUIRE(process_runs_for(child.pid(), ns_each));
	}
	const uint64_t reclaimed = reclaims(group) - before;
	const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - from;
	group.set("memory.max", "max");
	end.open();
	recorder.join();
	/* 10 kHz, but a busy host delivers few of them. */
	CHECK(*seen.at<uint64_t>() >= 100);
	/* Only the worker does, ten times a second: for a node and for something larger, twice each. */
	CHECK(reclaimed <= (seconds.count() + 0.2) * 10 * 4);
}

TEST_CASE_METHOD(AtRest, "a process whose ticks found no memory is named once there is some",
		 "[record][slow]")
{
	/* The pool of the session has too few nodes for so many. */
	constexpr unsigned processes = 40;
	const Cgroup group("recorder");
	const Gate begun, first, then, enough;
	const Memory pids(4096, MAP_SHARED), done(4096, MAP_SHARED);
	std::vector<std::unique_ptr<Child>> children;

	for (unsigned i = 0; i < processes; i++) {
		children.push_back(std::make_unique<Child>([&] {
			const Burner burner;
			burner.plant_loop(text);
			first.wait();
			Burner::spin(text, 2'000'000);
			__atomic_fetch_add(done.at<uint32_t>(), 1, __ATOMIC_RELEASE);
			then.wait();
			for (;;)
				Burner::spin(text, 100'000);
		}));
		pids.at<pid_t>()[i] = children.back()->pid();
	}
	Child recorder([&] {
		group.enter();
		Recording recording(16384);
		need_that(recording.begin_everybody(PROFIL_RECORD_PROCESSES) == 0, "PROFIL_RECORD");
		begun.open();
		enough.wait();
		std::set<pid_t> unnamed(pids.at<pid_t>(), pids.at<pid_t>() + processes);
		need_that(soon([&] {
				  for (const Row &row : recording.rows())
					  unnamed.erase(row.owner.pid);
				  return unnamed.empty();
			  }),
			  "each process is named");
	});

	begun.wait();
	fill_up(group, recorder.pid());
	first.open(processes);
	REQUIRE(soon([&] { return __atomic_load_n(done.at<uint32_t>(), __ATOMIC_ACQUIRE) == processes; }));
	group.set("memory.max", "max");
	then.open(processes);
	enough.open();
	CHECK_NOTHROW(recorder.join());
}
