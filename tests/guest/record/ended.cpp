// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/ended.cpp  The answers of a recording about processes that it no longer
 * follows, and the processes that the next recording takes over from an ended one.
 */
#include "tests/guest/record/support.h"
#include "tests/support/catch.h"

#include <algorithm>
#include <string>
#include <sys/prctl.h>

using namespace guest;

namespace {

constexpr uint32_t nobody = 65534;
/** A period so long that there are no ticks. */
constexpr uint64_t no_tick = 3'600'000'000'000;

bool knows(const Recording &recording, pid_t pid)
{
	const auto owners = recording.owners("guest");

	return std::any_of(owners.begin(), owners.end(),
			   [&](const Described &owner) { return owner.pid == pid; });
}

} // namespace

TEST_CASE_METHOD(AtRest, "a system-wide recording takes over the processes of one that has ended",
		 "[record][lifetime]")
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
	/* The first recording ends, but its file stays open. */
	REQUIRE(Device().call(PROFIL_STOP_ALL, &all) == 0);
	REQUIRE(second.begin_everybody(PROFIL_RECORD_PROCESSES) == 0);
	CHECK_FALSE(knows(second, child.pid()));
	go.open();
	forked.wait();
	CHECK(knows(second, child.pid()));
}

TEST_CASE_METHOD(AtRest,
		 "no process is added to a recording that has ended, and nothing is left of the attempt",
		 "[record][lifetime]")
{
	const Gate go;
	Child first([&] { go.wait(); }), second([&] { go.wait(); });
	Recording recording;
	profil_stop_all all = {};

	all.size = sizeof(all);
	recording.begin(first.pid());
	REQUIRE(Device().call(PROFIL_STOP_ALL, &all) == 0);
	/* kmemleak, which runs after all tests, finds memory that is leaked here. */
	CHECK(recording.add(second.pid()) == ENOENT);
}

namespace {

/** The process's owner before the exec, and the number of owners after it. */
struct Last {
	uint32_t state, uid;
	uint64_t executed; /**< owners with the program's name */
};

Last last_of(const Recording &recording)
{
	Last last = {2, 0, 0};

	for (const Described &owner : recording.owners("guest"))
		last = {owner.state, owner.uid, recording.owners("program").size()};
	return last;
}

constexpr uint32_t each_process = PROFIL_FOLLOW | PROFIL_RECORD_PROCESSES;

Fd users_proof(pid_t pid)
{
	Fd proof = open_proof({.pid = pid, .exclude_kernel = true});

	need(proof.get(), "perf_event_open");
	return proof;
}

/** As the user nobody, record a process until its end is reported. */
Last record_until_end(pid_t pid, const Gate &go)
{
	become_nobody();
	Recording recording(4096, period_nobody);

	recording.begin_with(users_proof(pid), each_process);
	go.open();
	need_that(soon([&] { return last_of(recording).state == PROFIL_OWNER_ENDED; }), "it is reported");
	return last_of(recording);
}

/** A process of the user nobody, which executes a set-uid program when told to. */
class Rising {
public:
	Rising() { ready_.wait(); }

	void execute() const
	{
		go_.open();
		need_that(soon([this] {
				  return read_file("/proc/" + std::to_string(pid()) + "/comm") == "program\n";
			  }),
			  "the program is executed");
	}
	pid_t pid() const { return child_.pid(); }
	const Gate &go() const { return go_; }

private:
	const Setting allowed_{"/proc/sys/kernel/perf_event_paranoid", "2"};
	const SetUidProgram program_{"uapi_target"};
	const Gate ready_, go_;
	const Child child_{[this] {
		become_nobody();
		ready_.open();
		go_.wait();
		execl(program_.path().c_str(), "program", "wait", nullptr);
		need(-1, "execl");
	}};
};

} // namespace

TEST_CASE_METHOD(AtRest, "a recording counts the processes that it has followed", "[record]")
{
	const Gate go;
	Child parent([&] {
		go.wait();
		for (int i = 0; i < 3; i++)
			Child([] {}).join();
	});
	Recording recording;

	recording.begin(parent.pid());
	CHECK(recording.status().joined == 1);
	CHECK(recording.status().followed == 1);
	go.open();
	parent.join();
	CHECK(recording.status().joined == 4);
	CHECK(recording.status().followed == 0);
	recording.finish();
	CHECK(recording.status().joined == 4);
}

TEST_CASE_METHOD(AtRest, "a user sees no more of a process that executes a set-uid program",
		 "[record][hostile]")
{
	const Rising target;
	const Last last = in_child([&] { return record_until_end(target.pid(), target.go()); });

	CHECK(last.state == PROFIL_OWNER_ENDED);
	CHECK(last.uid == nobody);
	CHECK(last.executed == 0);
}

TEST_CASE_METHOD(AtRest, "a user sees no more of a process whose recording was stopped", "[record][hostile]")
{
	const Rising target;
	const Last last = in_child([&] {
		become_nobody();
		Recording recording(4096, period_nobody);

		recording.begin_with(users_proof(target.pid()), each_process);
		recording.finish();
		target.execute();
		return last_of(recording);
	});

	CHECK(last.state == PROFIL_OWNER_ENDED);
	CHECK(last.uid == nobody);
	CHECK(last.executed == 0);
}

TEST_CASE_METHOD(AtRest, "a user sees no more of a process that a file's other recording follows",
		 "[record][hostile]")
{
	const Rising target;
	const Last last = in_child([&] {
		become_nobody();
		const Child other([] { pause(); });
		const Fd proof = users_proof(target.pid());
		Recording recording(4096, period_nobody), follows = recording.beside(4096, period_nobody);

		follows.begin_with(proof, each_process);
		recording.begin_with(users_proof(other.pid()), each_process);
		need_that(recording.add_with(proof) == EEXIST, "it is followed already");
		target.execute();
		return last_of(recording);
	});

	CHECK(last.state == PROFIL_OWNER_ENDED);
	CHECK(last.uid == nobody);
	CHECK(last.executed == 0);
}

TEST_CASE_METHOD(AtRest,
		 "an ended recording gives no more numbers, and its user still pays for those it gave",
		 "[record][hostile][lifetime][slow]")
{
	const bool kept = GENERATE(false, true);
	const Gate go, done;
	/*
	 * While the child is followed, each change of its name makes a new owner, and so does each
	 * of its children.
	 */
	Child child([&] {
		for (unsigned i = 0;; i++) {
			go.wait();
			prctl(PR_SET_NAME, std::to_string(i).c_str());
			Child([] {}).join();
			done.open();
		}
	});
	Recording recording;
	const auto rename = [&](int error) {
		for (int i = 0; i < 20; i++) {
			go.open();
			done.wait();
			CHECK(recording.add(child.pid()) == error);
		}
		return recording.described(0).in_use;
	};
	profil_stop_all all = {};

	all.size = sizeof(all);
	recording.begin(child.pid(), each_process);
	const uint32_t before = recording.described(0).in_use, running = rename(EEXIST);
	CHECK(running > before + 40);
	if (kept)
		recording.finish();
	else
		REQUIRE(Device().call(PROFIL_STOP_ALL, &all) == 0);
	CHECK(rename(ENOENT) == running);
	/* The numbers are charged to the user, but not counted as pinned pages. */
	profil_info info = {};
	info.size = sizeof(info);
	REQUIRE(recording.device().call(PROFIL_INFO, &info) == 0);
	CHECK(info.pages_used > module_stat("pinned_pages"));
}
