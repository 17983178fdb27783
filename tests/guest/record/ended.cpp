// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/ended.cpp  What a recording says of a process that it does not follow any more,
 * and what one that has ended leaves to the next.
 */
#include "tests/guest/record/support.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace guest;

namespace {

constexpr uint32_t nobody = 65534;
/** So long that there is no tick. */
constexpr uint64_t no_tick = 3'600'000'000'000;

bool knows(const Recording &recording, pid_t pid)
{
	const auto owners = recording.owners("guest");

	return std::any_of(owners.begin(), owners.end(),
			   [&](const Described &owner) { return owner.pid == pid; });
}

} // namespace

TEST_CASE_METHOD(AtRest, "a recording of everybody meets the processes of one that has ended", "[record]")
{
	const Gate go, forked;
	Child child([&] {
		for (;;) {
			go.wait();
			Child([] {}).join();
			forked.open();
		}
	});
	Recording first, second(4096, no_tick);
	profil_stop_all all = {};

	all.size = sizeof(all);
	REQUIRE(first.begin_everybody(PROFIL_RECORD_PROCESSES) == 0);
	go.open();
	forked.wait();
	REQUIRE(knows(first, child.pid()));
	/* Its file is still open, and knows the process. */
	REQUIRE(Device().call(PROFIL_STOP_ALL, &all) == 0);
	REQUIRE(second.begin_everybody(PROFIL_RECORD_PROCESSES) == 0);
	CHECK_FALSE(knows(second, child.pid()));
	go.open();
	forked.wait();
	CHECK(knows(second, child.pid()));
}

TEST_CASE_METHOD(AtRest,
		 "no process is added to a recording that has ended, and nothing is left of the attempt",
		 "[record]")
{
	const Gate go;
	Child first([&] { go.wait(); }), second([&] { go.wait(); });
	Recording recording;
	profil_stop_all all = {};

	all.size = sizeof(all);
	recording.begin(first.pid());
	REQUIRE(Device().call(PROFIL_STOP_ALL, &all) == 0);
	/* Memory that it leaves is found after all tests, where the kernel searches for leaks. */
	CHECK(recording.add(second.pid()) == ENOENT);
}

namespace {

/** What is known of the owner that a process had when it began. */
struct Last {
	uint32_t state, uid;
	uint64_t executed; /**< owners with the name of the program */
};

/** As a user, record a process until its end is reported. */
Last record_until_end(pid_t pid, const Gate &go)
{
	become_nobody();
	Recording recording(4096, period_nobody);
	const Fd proof = open_proof({.pid = pid, .exclude_kernel = true});
	Last last = {2, 0, 0};
	bool ended = false;

	need(proof.get(), "perf_event_open");
	recording.begin_with(proof, PROFIL_FOLLOW | PROFIL_RECORD_PROCESSES);
	go.open();
	while (!ended)
		for (const profil_event &event : recording.device().read_events())
			ended = ended || event.what & PROFIL_EVENT_EXIT;
	for (const Described &owner : recording.owners("guest"))
		last = {owner.state, owner.uid, recording.owners("program").size()};
	return last;
}

} // namespace

TEST_CASE_METHOD(AtRest, "of a process that executes a set-uid program a user sees no more",
		 "[record][hostile]")
{
	const Setting allowed("/proc/sys/kernel/perf_event_paranoid", "2");
	const SetUidProgram program("uapi_target");
	const Gate ready, go;
	Child target([&] {
		become_nobody();
		ready.open();
		go.wait();
		execl(program.path().c_str(), "program", "wait", nullptr);
		need(-1, "execl");
	});

	ready.wait();
	const Last last = in_child([&] { return record_until_end(target.pid(), go); });
	CHECK(last.state == PROFIL_OWNER_ENDED);
	CHECK(last.uid == nobody);
	CHECK(last.executed == 0);
}
