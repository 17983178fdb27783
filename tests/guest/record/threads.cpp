// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/threads.cpp  Recordings of single threads. */
#include "tests/guest/record/support.h"
#include "tests/guest/support/credentials.h"
#include "tests/guest/support/two_threads.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <linux/perf_event.h>

using namespace guest;

namespace {

constexpr size_t threads = TwoThreads::threads;

/** The ticks in a thread's loop. */
uint64_t in_loop(const Recording &recording, size_t thread)
{
	const uintptr_t loop = TwoThreads::loop_of(thread);

	return recording.sum([&](const Row &row) {
		return row.text.kind == PROFIL_KIND_MEMORY &&
		       row.text.base + row.offset - loop <= CODE_LOOP_RETURN;
	});
}

bool reaches(const Recording &recording, size_t thread, uint64_t ticks)
{
	return soon([&] { return in_loop(recording, thread) >= ticks; });
}

} // namespace

TEST_CASE_METHOD(AtRest, "a recording of one thread counts the ticks of that thread only", "[record][thread]")
{
	const TwoThreads target;
	Recording of_process, of_second;

	await_no_clock();
	of_process.begin(target.pid(), 0);
	of_second.begin(target.tid(1), PROFIL_THREAD);
	for (size_t i = 0; i < threads; i++)
		target.begin(i);
	CHECK(reaches(of_process, 0, 20));
	CHECK(reaches(of_second, 1, 20));
	for (size_t i = 0; i < threads; i++)
		target.rest(i);
	CHECK(in_loop(of_second, 0) == 0);
	CHECK(in_loop(of_second, 1) == in_loop(of_process, 1));
	const auto status = of_second.status();
	CHECK(status.counted + status.kernel == of_second.sum());
	CHECK(status.processes == 1);
}

TEST_CASE_METHOD(AtRest, "a recording to which all threads were added counts what its process does",
		 "[record][thread]")
{
	const TwoThreads target;
	Recording of_process, of_threads;

	await_no_clock();
	of_process.begin(target.pid(), 0);
	of_threads.begin(target.tid(0), PROFIL_THREAD);
	REQUIRE(of_threads.add(target.tid(1)) == 0);
	for (size_t i = 0; i < threads; i++)
		target.begin(i);
	for (size_t i = 0; i < threads; i++)
		CHECK(reaches(of_threads, i, 20));
	for (size_t i = 0; i < threads; i++)
		target.rest(i);
	for (size_t i = 0; i < threads; i++)
		CHECK(in_loop(of_threads, i) == in_loop(of_process, i));
	/* The loops' memory is one text, whichever thread runs there. */
	uint32_t texts = 0;
	for (uint32_t number = 1; number <= of_threads.described(0).numbers; number++)
		texts += of_threads.described(number).kind == PROFIL_KIND_MEMORY;
	CHECK(texts == 1);
	CHECK(of_threads.status().processes == 2);
}

TEST_CASE_METHOD(AtRest, "one session records a thread once, whatever else it records", "[record][thread]")
{
	const TwoThreads target;
	Recording recording, other = recording.beside();

	recording.begin(target.tid(0), PROFIL_THREAD);
	CHECK(recording.add(target.tid(0)) == EEXIST);
	CHECK(other.try_begin(target.tid(0), PROFIL_THREAD) == EEXIST);
	CHECK(other.try_begin(target.tid(1), PROFIL_THREAD) == 0);
	CHECK(recording.add(target.tid(1)) == EEXIST);
	CHECK(recording.status().processes == 1);
}

TEST_CASE_METHOD(AtRest, "the recording of an ended thread keeps its counts", "[record][thread][lifetime]")
{
	const TwoThreads target;
	Recording of_first, of_second;

	of_first.begin(target.tid(0), PROFIL_THREAD);
	of_second.begin(target.tid(1), PROFIL_THREAD);
	target.begin(1);
	CHECK(reaches(of_second, 1, 10));
	target.rest(1);
	const auto counted = in_loop(of_second, 1);
	target.end(1);
	CHECK(soon([&] { return of_second.status().processes == 0; }));
	CHECK(in_loop(of_second, 1) == counted);
	CHECK(of_second.status().state == PROFIL_STATE_RUNNING);
	CHECK(of_first.status().processes == 1);
}

TEST_CASE_METHOD(AtRest, "an exec ends the recording of a thread", "[record][thread][lifetime]")
{
	const Gate go;
	const Child target([&] {
		const auto path = program("uapi_target");

		go.wait();
		execl(path.c_str(), path.c_str(), "burn", std::to_string(Burner::usual).c_str(), nullptr);
		need(-1, path.c_str());
	});
	Recording recording;

	recording.begin(target.pid(), PROFIL_THREAD);
	CHECK(recording.status().processes == 1);
	go.open();
	CHECK(soon([&] { return recording.status().processes == 0; }));
	CHECK(in_loop(recording, 0) == 0);
}

TEST_CASE_METHOD(AtRest, "64 recorded threads fit in a process and leave room for one of the process",
		 "[record][thread]")
{
	const TwoThreads target;
	std::vector<std::unique_ptr<Recording>> all;

	for (size_t i = 0; i < 65; i++)
		all.push_back(std::make_unique<Recording>(256));
	for (size_t i = 0; i < 64; i++)
		REQUIRE(all[i]->try_begin(target.tid(0), PROFIL_THREAD) == 0);
	CHECK(all[64]->try_begin(target.tid(0), PROFIL_THREAD) == EBUSY);
	CHECK(all[64]->try_begin(target.tid(0), 0) == 0);
	all[0].reset();
	all[0] = std::make_unique<Recording>(256);
	CHECK(all[0]->try_begin(target.tid(0), PROFIL_THREAD) == 0);
}

TEST_CASE_METHOD(AtRest, "a thread is neither followed nor taken for a process", "[record][thread][errno]")
{
	const TwoThreads target;
	Recording of_thread, of_process;

	CHECK(of_thread.try_begin(target.tid(1), PROFIL_THREAD | PROFIL_FOLLOW) == EINVAL);
	CHECK(of_thread.begin_everybody(PROFIL_THREAD) == EINVAL);
	REQUIRE(of_thread.try_begin(target.tid(1), PROFIL_THREAD) == 0);
	REQUIRE(of_process.try_begin(target.pid()) == 0);
	/* The thread's process is in the recording already. */
	CHECK(of_process.add(target.tid(0)) == EEXIST);
	CHECK(of_thread.add(target.tid(0)) == 0);
}

TEST_CASE_METHOD(AtRest, "a thread that has ended cannot be recorded", "[record][thread]")
{
	const TwoThreads target;
	Recording recording;
	const Fd proof = proof_of(target.tid(1));

	target.end(1);
	profil_record record = recording.request(PROFIL_THREAD);
	record.proof = proof.get();
	CHECK(recording.device().call(PROFIL_RECORD, &record) == ESRCH);
	CHECK(recording.try_begin(target.tid(0), PROFIL_THREAD) == 0);
}

TEST_CASE_METHOD(AtRest, "the user of a recorded thread is told as it was when the thread was added",
		 "[record][thread][owner]")
{
	const Gate change, changed;
	const Child target([&] {
		change.wait();
		become(nobody, 0);
		changed.open();
		pause();
	});
	Recording recording;

	recording.begin(target.pid(), PROFIL_THREAD | PROFIL_RECORD_PROCESSES);
	std::optional<Described> owner;
	for (uint32_t number = 1; number <= recording.described(0).numbers; number++)
		if (recording.described(number).pid == target.pid())
			owner = recording.described(number);
	REQUIRE(owner);
	CHECK(owner->state == PROFIL_OWNER_ENDED);
	CHECK(owner->uid == 0);
	change.open();
	changed.wait();
	CHECK(recording.described(owner->number).uid == 0);
	CHECK(recording.described(owner->number).state == PROFIL_OWNER_ENDED);
}

TEST_CASE_METHOD(AtRest, "each recorded thread is an owner, if processes are told apart",
		 "[record][thread][owner]")
{
	const TwoThreads target;
	Recording recording;

	recording.begin(target.tid(0), PROFIL_THREAD | PROFIL_RECORD_PROCESSES);
	REQUIRE(recording.add(target.tid(1)) == 0);
	for (size_t i = 0; i < threads; i++)
		target.begin(i);
	for (size_t i = 0; i < threads; i++)
		CHECK(reaches(recording, i, 20));
	for (size_t i = 0; i < threads; i++)
		target.rest(i);
	for (const Row &row : recording.rows()) {
		CHECK((row.owner.pid == target.tid(0) || row.owner.pid == target.tid(1)));
		if (row.text.kind == PROFIL_KIND_MEMORY)
			CHECK(row.text.base + row.offset -
				      TwoThreads::loop_of(row.owner.pid == target.tid(1)) <=
			      CODE_LOOP_RETURN);
	}
}

TEST_CASE_METHOD(AtRest, "an event is recorded in one thread, at the calls in which it comes",
		 "[record][thread][calls]")
{
	const TwoThreads target;
	Recording recording(4096, 1);

	recording.begin_with(open_proof({.pid = target.tid(1), .config = PERF_COUNT_SW_CONTEXT_SWITCHES}),
			     PROFIL_THREAD | PROFIL_EVENT | PROFIL_KERNEL_TICKS);
	for (int i = 0; i < 5; i++) {
		target.begin(0);
		target.rest(0);
	}
	CHECK(recording.status().ticks == 0);
	for (int i = 0; i < 5; i++) {
		target.begin(1);
		target.rest(1);
	}
	CHECK(soon([&] { return recording.status().counted >= 5; }));
	recording.finish();
	const auto status = recording.status();
	CAPTURE(causes_text(status), recording.rows_text());
	CHECK(recording.sum() == status.counted + status.kernel);
	CHECK(recording.of_kind(PROFIL_KIND_FILE) >= 5);
}

TEST_CASE_METHOD(AtRest, "recorded threads are charged to a user's limit like followed processes",
		 "[record][thread]")
{
	const Setting limit = module_parameter("max_user_watches", 1);
	const TwoThreads target;
	Recording again;
	{
		Recording recording;

		recording.begin(target.tid(0), PROFIL_THREAD);
		CHECK(recording.add(target.tid(1)) == EDQUOT);
	}
	/* Ended threads, and refused ones, are no longer charged. */
	CHECK(soon([&] { return again.try_begin(target.tid(1), PROFIL_THREAD) == 0; }));
}
