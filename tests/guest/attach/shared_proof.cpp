// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/attach/shared_proof.cpp  A system-wide proof: with it, a caller who has
 * CAP_PERFMON attaches to the tasks that it names. privilege.cpp tests the permission.
 */
#include "tests/guest/attach/credentials.h"
#include "tests/guest/support/places.h"
#include "tests/guest/support/ways.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <csignal>
#include <functional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
const uintptr_t text = Burner::usual;

Fd proof_of_everybody(bool exclude_kernel = false)
{
	Fd proof = open_proof({.pid = -1, .exclude_kernel = exclude_kernel, .cpu = 0});

	need(proof.get(), "perf_event_open");
	return proof;
}

/** Each mistake is refused, and a valid request is accepted. */
void check_refusals(const Way &way)
{
	const Device device;
	const Memory counters(page);
	const Child target([] { pause(); });
	const Fd proof = proof_of_everybody(), own = proof_of(target.pid()), user = proof_of_everybody(true);
	const auto region = one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8);
	const auto with = [&](const std::function<void(profil_start &)> &change) {
		auto start = describe(region);

		start.proof = proof.get();
		start.target = target.pid();
		start.profile = start.stored = 77;
		change(start);
		const int error = way(device, PROFIL_ATTACH, &start, sizeof(start));
		if (error)
			CHECK((start.profile == 77 && start.stored == 77));
		return error;
	};

	CHECK(with([](auto &s) { s.target = 0; }) == EINVAL);
	CHECK(with([](auto &s) { s.target = -1; }) == EINVAL);
	CHECK(with([](auto &s) { s.target = INT32_MIN; }) == EINVAL);
	CHECK(with([](auto &s) { s.reserved = 1; }) == EINVAL);
	CHECK(with([&](auto &s) { s.proof = own.get(); }) == EINVAL); /* names its task itself */
	CHECK(with([](auto &s) { s.proof = -1; }) == EBADF);
	CHECK(with([](auto &s) { s.flags = PROFIL_EVENT; }) == EINVAL);
	CHECK(with([](auto &s) { s.target = INT32_MAX; }) == ESRCH);
	CHECK(with([](auto &s) { s.target = 2; }) == ESRCH); /* kthreadd has no memory */
	CHECK(with([&](auto &s) { s.flags = PROFIL_KERNEL_TICKS, s.proof = user.get(); }) == EACCES);
	CHECK(with([&](auto &s) { s.proof = user.get(); }) == 0);
	CHECK(with([](auto &s) { s.flags = PROFIL_KERNEL_TICKS; }) == 0);
	CHECK(with([](auto &s) { s.flags = PROFIL_THREAD; }) == 0);

	auto self = describe(region);
	self.target = getpid();
	CHECK(way(device, PROFIL_START, &self, sizeof(self)) == EINVAL);
	self.target = 0;
	self.reserved = 1;
	CHECK(way(device, PROFIL_START, &self, sizeof(self)) == EINVAL);
	CHECK(device.status().state == PROFIL_STATE_NONE);
}

} // namespace

TEST_CASE_METHOD(AtRest, "with a system-wide proof, each task that is named has its own counts",
		 "[attach][shared-proof]")
{
	const Burner burner;
	const Fd proof = proof_of_everybody();

	burner.plant_loop(text);
	for (const Way &way : {by_ioctl(), by_ring()}) {
		const Device device;
		const Memory counters(page);
		std::vector<Child> targets;
		std::vector<uint32_t> profiles;

		for (size_t i = 0; i < 3; i++) {
			targets.emplace_back([] {
				for (;;)
					Burner::spin(text, 1'000'000);
			});
			auto start =
				describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(i * 8), 8));
			start.proof = proof.get();
			start.target = targets[i].pid();
			REQUIRE(way(device, PROFIL_ATTACH, &start, sizeof(start)) == 0);
			profiles.push_back(start.profile);
		}
		CHECK(soon([&] {
			return counter<uint64_t>(counters, 0) > 10 && counter<uint64_t>(counters, 1) > 10 &&
			       counter<uint64_t>(counters, 2) > 10;
		}));
		for (size_t i = 0; i < 3; i++) {
			kill(targets[i].pid(), SIGKILL);
			targets[i].reap();
			CHECK(device.status(profiles[i]).counted == counter<uint64_t>(counters, i));
		}
	}
}

TEST_CASE_METHOD(AtRest, "a target beside a proof is checked, and a refusal changes nothing",
		 "[attach][shared-proof][errno]")
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

TEST_CASE_METHOD(AtRest, "a named process that has ended, and was not waited for, cannot be attached to",
		 "[attach][shared-proof]")
{
	const Device device;
	const Memory counters(page);
	const Fd proof = proof_of_everybody();
	auto start = describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8));
	siginfo_t info;
	const Child ended([] { _exit(0); });

	need(waitid(P_PID, static_cast<id_t>(ended.pid()), &info, WEXITED | WNOWAIT), "waitid");
	start.proof = proof.get();
	start.target = ended.pid();
	CHECK(device.call(PROFIL_ATTACH, &start) == ESRCH);
}

TEST_CASE_METHOD(AtRest, "another user's system-wide proof names no task", "[attach][shared-proof]")
{
	const Fd proof = proof_of_everybody();
	const Memory counters(page);
	const Child target([] { pause(); });

	/* Root's descriptor, inherited by a user who has only CAP_PERFMON, or no capability. */
	for (const uint64_t capabilities : {perfmon, uint64_t{0}}) {
		const int error = in_child([&] {
			auto start = describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8),
					      period_nobody);

			become(nobody, capabilities);
			start.proof = proof.get();
			start.target = target.pid();
			return Device().call(PROFIL_ATTACH, &start);
		});
		CHECK(error == EACCES);
	}
}

TEST_CASE_METHOD(AtRest, "where any user may watch all CPUs, only CAP_PERFMON can name a target",
		 "[attach][shared-proof]")
{
	const Setting allowed("/proc/sys/kernel/perf_event_paranoid", "-1");
	const Memory counters(page);
	const Child target([] { pause(); });

	for (const uint64_t capabilities : {uint64_t{0}, perfmon}) {
		const int error = in_child([&] {
			auto start = describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8),
					      period_nobody);

			become(nobody, capabilities);
			const Fd proof = proof_of_everybody();
			start.proof = proof.get();
			start.target = target.pid();
			return Device().call(PROFIL_ATTACH, &start);
		});
		CHECK(error == (capabilities ? 0 : EACCES));
	}
}

TEST_CASE_METHOD(AtRest, "a target is named by the number that the caller sees", "[attach][shared-proof]")
{
	const Burner burner;

	burner.plant_loop(text);
	const auto counted = in_child([&] {
		need(unshare(CLONE_NEWPID), "CLONE_NEWPID");
		return in_child([&] {
			const Device device;
			const Memory counters(page);
			const Fd proof = proof_of_everybody();
			auto start = describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8));
			const Child target([] {
				for (;;)
					Burner::spin(text, 1'000'000);
			});

			need_that(target.pid() == 2, "the child is the second process of its namespace");
			start.proof = proof.get();
			start.target = target.pid();
			need_that(device.call(PROFIL_ATTACH, &start) == 0, "PROFIL_ATTACH");
			need_that(soon([&] { return counter<uint64_t>(counters) > 10; }), "it is counted");
			return counter<uint64_t>(counters);
		});
	});
	CHECK(counted > 10);
}
