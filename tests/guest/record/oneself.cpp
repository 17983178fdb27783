// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/oneself.cpp  Recordings of the caller itself, which need no proof. */
#include "tests/guest/record/support.h"
#include "tests/guest/support/credentials.h"
#include "tests/guest/support/ways.h"
#include "tests/support/catch.h"

#include <atomic>
#include <cerrno>
#include <string>
#include <thread>
#include <unistd.h>

using namespace guest;

namespace {

constexpr uint32_t of_all_threads = PROFIL_RECORD_SELF;
constexpr uint32_t of_one_thread = PROFIL_RECORD_SELF | PROFIL_THREAD;

/** The ticks in the loop at the start of a Burner. */
uint64_t in_loop(const Recording &recording, uintptr_t loop = Burner::usual)
{
	return recording.sum([&](const Row &row) {
		return row.text.kind == PROFIL_KIND_MEMORY &&
		       row.text.base + row.offset - loop <= CODE_LOOP_RETURN;
	});
}

/** Spend time in a loop until a recording of this process has so many ticks there. */
void burn_here(const Recording &recording, const Burner &burner, uint64_t ticks,
	       uintptr_t loop = Burner::usual)
{
	burner.burn_until(loop, [&] { return in_loop(recording, loop) >= ticks; });
}

int begin(Recording &recording, uint32_t flags)
{
	return recording.try_begin_with(Fd(), flags);
}

/** The calling thread adds itself.  Returns 0 or the error. */
int add_itself(const Recording &recording)
{
	return recording.add_with(Fd());
}

struct Outcome {
	uint64_t loop, all, counted, kernel, others;
};

/** Record oneself, and say what was counted. */
Outcome record_oneself(uint32_t flags)
{
	const Burner burner;
	Recording recording(4096, period_nobody);

	need_that(begin(recording, of_all_threads | flags) == 0, "a recording of oneself begins");
	burn_here(recording, burner, 10);
	recording.finish();
	const auto status = recording.status();
	const auto others = recording.sum([](const Row &row) { return row.owner.pid != getpid(); });

	return {in_loop(recording), recording.sum(), status.counted, status.kernel, others};
}

/** Run a thread that does this, and wait for its end. */
template <typename F> void in_thread(F run)
{
	std::thread(run).join();
}

} // namespace

TEST_CASE_METHOD(AtRest, "any user may record themselves, whatever perf_event_paranoid says",
		 "[record][self]")
{
	const Setting paranoid("/proc/sys/kernel/perf_event_paranoid", "3");
	const uint32_t flags = PROFIL_RECORD_PROCESSES | GENERATE(0U, uint32_t{PROFIL_KERNEL_TICKS});
	const bool contained = GENERATE(false, true);
	const auto record = [&] { return record_oneself(flags); };
	const Outcome outcome = contained ? in_container(record) : in_child([&] {
		as_nobody();
		return record();
	});

	CAPTURE(flags, contained);
	CHECK(outcome.loop >= 10);
	CHECK(outcome.counted + outcome.kernel == outcome.all);
	CHECK(outcome.others == 0);
}

TEST_CASE_METHOD(AtRest, "a recording of oneself takes nothing that needs a proof", "[record][self]")
{
	const Way way = GENERATE(by_ioctl(), by_ring());
	const Recording recording;
	const auto with = [&](const std::function<void(profil_record &)> &change) {
		profil_record record = recording.request(of_all_threads);

		record.proof = -1;
		change(record);
		return way(recording.device(), PROFIL_RECORD, &record, sizeof(record));
	};

	CHECK(with([](auto &r) { r.flags |= PROFIL_RECORD_EVERYBODY; }) == EINVAL);
	CHECK(with([](auto &r) { r.flags |= PROFIL_RECORD_KERNEL; }) == EINVAL);
	CHECK(with([](auto &r) { r.flags |= PROFIL_EVENT; }) == EINVAL);
	CHECK(with([](auto &r) { r.flags |= PROFIL_THREAD | PROFIL_FOLLOW; }) == EINVAL);
	CHECK(with([](auto &r) { r.target = getpid(); }) == EINVAL);
	CHECK(with([](auto &r) { r.proof = 0; }) == EINVAL);
	CHECK(with([](auto &r) { r.proof = -2; }) == EINVAL);
	CHECK(with([](auto &) {}) == 0);
	CHECK(with([](auto &) {}) == EEXIST);
}

TEST_CASE_METHOD(AtRest, "a recording of oneself follows children until they execute a program",
		 "[record][self][fork]")
{
	const uintptr_t loop = Burner::usual + 64, other = Burner::usual + 128;
	const Burner burner;
	const Memory shared(4096, MAP_SHARED);
	auto &enough = *shared.at<std::atomic<bool>>();
	Recording recording;

	REQUIRE(begin(recording, of_all_threads | PROFIL_FOLLOW) == 0);
	const Child child([&] {
		const auto path = program("uapi_target");

		burner.burn_until(loop, [&] { return enough.load(); });
		execl(path.c_str(), path.c_str(), "burn", std::to_string(other).c_str(), nullptr);
		need(-1, path.c_str());
	});
	CHECK(soon([&] { return in_loop(recording, loop) >= 10; }));
	CHECK(recording.status().followed == 2);
	enough = true;
	CHECK(soon([&] { return recording.status().followed == 1; }));

	Recording proven;
	proven.begin(child.pid(), 0);
	CHECK(soon([&] { return in_loop(proven, other) >= 20; }));
	CHECK(in_loop(recording, other) == 0);
	CHECK(recording.owners("uapi_target").empty());
	CHECK(recording.status().forks_lost == 0);
}

TEST_CASE_METHOD(AtRest, "a thread records itself and the threads that add themselves",
		 "[record][self][thread]")
{
	const uintptr_t loop = Burner::usual + 64, other = Burner::usual + 128;
	const Burner burner;
	Recording recording, all;

	REQUIRE(begin(recording, of_one_thread) == 0);
	CHECK(add_itself(recording) == EEXIST);
	burn_here(recording, burner, 10);

	in_thread([&] {
		REQUIRE(add_itself(recording) == 0);
		burn_here(recording, burner, 10, loop);
	});
	/* Another file, because a file has a thread but once. */
	REQUIRE(begin(all, of_all_threads) == 0);
	in_thread([&] { burn_here(all, burner, 10, other); });
	CHECK(in_loop(recording, other) == 0);
	CHECK(recording.status().processes <= 2);
}

TEST_CASE_METHOD(AtRest, "only threads of the process add themselves to a recording of oneself",
		 "[record][self][thread]")
{
	Recording of_threads, of_process;
	const Child other([] { pause(); });
	const auto add_by = [](const Recording &recording, int proof, pid_t target) {
		profil_add add = describe_addition(recording.profile(), proof, target);

		return recording.device().call(PROFIL_ADD, &add);
	};
	const auto by_worker = [](const Recording &recording, auto command, auto argument) {
		return by_ring()(recording.device(), command, &argument, sizeof(argument));
	};
	profil_record record = of_process.request(of_one_thread);

	record.proof = -1;
	CHECK(by_worker(of_process, PROFIL_RECORD, record) == EINVAL);
	REQUIRE(begin(of_threads, of_one_thread) == 0);
	REQUIRE(begin(of_process, of_all_threads) == 0);
	CHECK(add_by(of_process, -1, 0) == EINVAL);
	CHECK(add_by(of_process, proof_of(other.pid()).get(), 0) == EINVAL);
	CHECK(add_by(of_threads, proof_of(other.pid()).get(), 0) == EINVAL);
	CHECK(add_by(of_threads, -1, getpid()) == EINVAL);
	CHECK(by_worker(of_threads, PROFIL_ADD, describe_addition(of_threads.profile(), -1)) == EINVAL);
	CHECK(in_child([&] { return add_itself(of_threads); }) == EPERM);
	of_threads.finish();
	CHECK(add_itself(of_threads) == ENOENT);
}
