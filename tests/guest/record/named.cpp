// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/named.cpp  A caller with CAP_PERFMON records tasks by naming them, all
 * with one proof on a CPU.
 */
#include "tests/guest/record/support.h"
#include "tests/guest/support/credentials.h"
#include "tests/guest/support/ways.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <csignal>
#include <functional>
#include <sys/wait.h>

using namespace guest;

namespace {

const uintptr_t text = Burner::usual;

Fd proof_of_everybody(bool exclude_kernel = false)
{
	Fd proof = open_proof({.pid = -1, .exclude_kernel = exclude_kernel, .cpu = 0});

	need(proof.get(), "perf_event_open");
	return proof;
}

/** Begin to record a named task.  Returns 0 or the error. */
int name(const Recording &recording, const Fd &proof, pid_t target, uint32_t flags = PROFIL_FOLLOW)
{
	profil_record record = recording.request(flags);

	record.proof = proof.get();
	record.target = target;
	return recording.device().call(PROFIL_RECORD, &record);
}

/** Check that each invalid request is refused, and a valid one is not. */
void check_refusals(const Way &way)
{
	Recording recording;
	const Child target([] { pause(); }), second([] { pause(); });
	const Fd proof = proof_of_everybody(), own = proof_of(target.pid()), user = proof_of_everybody(true);
	const auto with = [&](uint32_t flags, const std::function<void(profil_record &)> &change) {
		auto record = recording.request(flags);

		record.proof = proof.get();
		record.target = target.pid();
		change(record);
		return way(recording.device(), PROFIL_RECORD, &record, sizeof(record));
	};

	CHECK(with(0, [](auto &r) { r.target = 0; }) == EINVAL);
	CHECK(with(0, [](auto &r) { r.target = -1; }) == EINVAL);
	CHECK(with(0, [](auto &r) { r.target = INT32_MIN; }) == EINVAL);
	CHECK(with(0, [](auto &r) { r.reserved = 1; }) == EINVAL);
	CHECK(with(0, [&](auto &r) { r.proof = own.get(); }) == EINVAL); /* an event of a task */
	CHECK(with(0, [](auto &r) { r.proof = -1; }) == EBADF);
	CHECK(with(PROFIL_EVENT, [](auto &) {}) == EINVAL);
	CHECK(with(PROFIL_RECORD_EVERYBODY, [](auto &) {}) == EINVAL);
	CHECK(with(0, [](auto &r) { r.target = INT32_MAX; }) == ESRCH);
	CHECK(with(0, [](auto &r) { r.target = 2; }) == ESRCH); /* kthreadd has no memory */
	CHECK(with(PROFIL_KERNEL_TICKS, [&](auto &r) { r.proof = user.get(); }) == EACCES);
	CHECK(with(PROFIL_RECORD_KERNEL, [&](auto &r) { r.proof = user.get(); }) == EACCES);
	CHECK(with(0, [](auto &r) { r.table = 0; }) == EINVAL);

	recording.begin_with(own);
	const auto add = [&](const std::function<void(profil_add &)> &change) {
		auto request = describe_addition(recording.profile(), proof.get(), second.pid());

		change(request);
		return way(recording.device(), PROFIL_ADD, &request, sizeof(request));
	};
	CHECK(add([](auto &a) { a.target = 0; }) == EINVAL);
	CHECK(add([](auto &a) { a.flags = PROFIL_THREAD; }) == EINVAL);
	CHECK(add([](auto &a) { a.reserved = 1; }) == EINVAL);
	CHECK(add([](auto &a) { a.target = INT32_MAX; }) == ESRCH);
	CHECK(add([&](auto &a) { a.target = target.pid(); }) == EEXIST);
	CHECK(add([](auto &) {}) == 0);
	CHECK(recording.status().processes == 2);
}

} // namespace

TEST_CASE_METHOD(AtRest, "with a proof on a CPU, each task that is named is recorded",
		 "[record][shared-proof]")
{
	const Burner burner;
	const Fd proof = proof_of_everybody();

	burner.plant_loop(text);
	for (const Way &way : {by_ioctl(), by_ring()}) {
		Recording recording;
		std::vector<Child> targets;

		for (size_t i = 0; i < 3; i++)
			targets.emplace_back([] {
				for (;;)
					Burner::spin(text, 1'000'000);
			});
		recording.begin(targets[0].pid(), PROFIL_FOLLOW | PROFIL_RECORD_PROCESSES);
		for (size_t i = 1; i < 3; i++) {
			auto add = describe_addition(recording.profile(), proof.get(), targets[i].pid());

			REQUIRE(way(recording.device(), PROFIL_ADD, &add, sizeof(add)) == 0);
		}
		for (size_t i = 0; i < 3; i++)
			CHECK(grows([&] {
				return recording.sum([&](const Row &row) {
					return row.owner.pid == targets[i].pid() &&
					       row.text.kind == PROFIL_KIND_MEMORY;
				});
			}));
	}
}

TEST_CASE_METHOD(AtRest, "a target beside a proof is checked, and a refusal records nothing",
		 "[record][shared-proof][errno]")
{
	SECTION("by ioctl")
	{
		check_refusals(by_ioctl());
	}
	SECTION("by io_uring")
	{
		check_refusals(by_ring());
	}
}

TEST_CASE_METHOD(AtRest, "a named thread is recorded alone", "[record][shared-proof][thread]")
{
	const Child target([] { pause(); });
	Recording recording;

	CHECK(name(recording, proof_of_everybody(), target.pid(), PROFIL_THREAD) == 0);
}

TEST_CASE_METHOD(AtRest, "a named process that has ended, and was not waited for, cannot be recorded",
		 "[record][shared-proof]")
{
	const Recording recording;
	siginfo_t info;
	const Child ended([] { _exit(0); });

	need(waitid(P_PID, static_cast<id_t>(ended.pid()), &info, WEXITED | WNOWAIT), "waitid");
	CHECK(name(recording, proof_of_everybody(), ended.pid()) == ESRCH);
}

TEST_CASE_METHOD(AtRest, "a proof on a CPU from somebody else names nobody", "[record][shared-proof]")
{
	const Fd proof = proof_of_everybody();
	const Child target([] { pause(); });

	/*
	 * Root's descriptor, inherited by a user with only CAP_PERFMON, or without any capability.
	 */
	for (const uint64_t capabilities : {perfmon, uint64_t{0}}) {
		const int error = in_child([&] {
			become(nobody, capabilities);
			return name(Recording(256, period_nobody), proof, target.pid());
		});
		CHECK(error == EACCES);
	}
}

TEST_CASE_METHOD(AtRest,
		 "where anybody may watch all CPUs, a recorded task is named by those with CAP_PERFMON alone",
		 "[record][shared-proof]")
{
	const Setting allowed("/proc/sys/kernel/perf_event_paranoid", "-1");
	const Child target([] { pause(); });

	for (const uint64_t capabilities : {uint64_t{0}, perfmon}) {
		const int error = in_child([&] {
			become(nobody, capabilities);
			return name(Recording(256, period_nobody), proof_of_everybody(), target.pid());
		});
		CHECK(error == (capabilities ? 0 : EACCES));
	}
}

TEST_CASE_METHOD(AtRest, "a recorded task is named by the number that the caller sees",
		 "[record][shared-proof]")
{
	const Burner burner;

	burner.plant_loop(text);
	const auto counted = in_child([&] {
		need(unshare(CLONE_NEWPID), "CLONE_NEWPID");
		return in_child([&] {
			const Recording recording;
			const Child target([] {
				for (;;)
					Burner::spin(text, 1'000'000);
			});

			need_that(target.pid() == 2, "the child is the second process of its namespace");
			need_that(name(recording, proof_of_everybody(), target.pid()) == 0, "PROFIL_RECORD");
			need_that(soon([&] {
					  return sum_counters<uint64_t>(
							 const_cast<Recording &>(recording).table()) > 0;
				  }),
				  "it is counted");
			return 11;
		});
	});
	CHECK(counted > 10);
}
