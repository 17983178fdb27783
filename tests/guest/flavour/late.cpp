// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/flavour/late.cpp  How each flavour counts late ticks.  A module keeps
 * interrupts off, and a nanosecond is one executed instruction, so the number of late ticks is
 * known.  The lazy clock notices them in its next interrupt, before any other task can run.
 */
#include "tests/guest/flavour/forms.h"
#include "tests/guest/support/busy_module.h"
#include "tests/guest/support/clock.h"
#include "tests/guest/support/device.h"
#include "tests/support/catch.h"

#include <algorithm>
#include <pcsample.h>
#include <vector>

using namespace guest;
using namespace lib_test;

namespace {

/* Far longer than 64 ticks of the slowest flavour, or 1,024 ticks of the fastest. */
constexpr unsigned stall_ms = 2000;
constexpr uint64_t stall_ns = stall_ms * 1'000'000ULL;
constexpr uint64_t rounds = 50'000'000; /* at least 50 ms */
constexpr size_t bytes = 128;

/** A form's counts during some work, and the work's CPU time in periods. */
struct Outcome {
	profil_status status;
	double periods;
	uint64_t sum;	/* of the counters */
	uint64_t first; /* of the loop's counter */
};

template <typename Work> Outcome outcome(const Form &form, const Loop &loop, uint16_t preset, Work work)
{
	const OffAtEnd off;
	const Memory counters(4096);
	*counters.at<uint16_t>() = preset;
	form.on(counters.at(), bytes, loop.pc());
	const uint64_t begin = process_ns();
	work();
	const auto status = self_status();
	const uint64_t end = process_ns();

	form.off();
	return {status, static_cast<double>(end - begin) / static_cast<double>(status.period),
		form.width == 4 ? sum_counters<uint32_t>(counters) : sum_counters<uint16_t>(counters),
		counter<uint16_t>(counters)};
}

bool counts_kernel(const Form &form)
{
	return std::string(form.name).find("AIX") == std::string::npos;
}

/** True if the ticks are exact to within 1 %, plus two for the ends. */
bool is_about(uint64_t ticks, double periods)
{
	return as_expected(static_cast<double>(ticks), periods, periods / 100 + 2);
}

/** Skips the test if the kernel cannot tell which ticks are late. */
struct Needs {
	Needs() { skip_if_late_is_unknown(); }
};

/** A loop, and the means to make its ticks late. */
struct LateTicks : AtRest {
	LateTicks() { run_before_others(); }

	const Needs needs;
	const Clock lazy{"lazy"};
	const BusyModule module;
	const Loop loop;
};

} // namespace

TEST_CASE_METHOD(LateTicks,
		 "late ticks of every flavour are counted where they find the program, however many",
		 "[lib][flavour][icount]")
{
	for (const Form &form : forms) {
		const auto seen = outcome(form, loop, 0, [&] {
			BusyModule::interrupt(stall_ms);
			loop.spin(rounds);
		});
		const auto &status = seen.status;

		CAPTURE(form, seen.periods, status.ticks, status.counted, status.kernel, status.outside);
		CHECK(status.lost_late == 0);
		CHECK(status.lost_contended == 0);
		CHECK(is_about(status.ticks, seen.periods));
		CHECK(is_about(status.counted + status.outside + status.kernel, seen.periods));
		CHECK(status.counted >= stall_ns / status.period);
		CHECK(seen.sum >= status.counted);
		CHECK(seen.sum <= status.counted + 2); /* ticks go on until the profile is off */
	}
}

TEST_CASE_METHOD(LateTicks,
		 "late ticks that find the program in the kernel are charged to it, but on AIX dropped",
		 "[lib][flavour][icount]")
{
	for (const Form &form : forms) {
		const auto seen = outcome(form, loop, 0, [&] { BusyModule::hold(stall_ms); });
		const auto &status = seen.status;
		const auto charged = status.counted + status.outside;

		CAPTURE(form, seen.periods, status.ticks, charged, status.kernel);
		CHECK(status.lost_late == 0);
		CHECK(is_about(status.ticks, seen.periods));
		CHECK(is_about(counts_kernel(form) ? charged : status.kernel, seen.periods));
		CHECK((counts_kernel(form) ? status.kernel : charged) <= 2);
	}
}

TEST_CASE_METHOD(LateTicks, "late ticks lead no counter beyond its limit", "[lib][flavour][icount]")
{
	constexpr unsigned room = 100; /* half of the late ticks at 100 Hz */
	for (const Form &form : forms) {
		if (form.width != 2)
			continue;
		const uint16_t limit = form.limit == Limit::stops_at_32767 ? 32767 : 65535;
		const auto seen = outcome(form, loop, limit - room, [&] {
			BusyModule::interrupt(stall_ms);
			loop.spin(rounds);
		});
		const auto &status = seen.status;

		CAPTURE(form, seen.periods, status.counted, status.saturated, status.off, seen.first);
		if (form.limit == Limit::wraps) {
			CHECK(status.saturated + status.off == 0);
			CHECK(seen.first - static_cast<uint16_t>(limit - room + status.counted) <= 2);
			continue;
		}
		CHECK(seen.first == limit);
		CHECK(status.counted == room);
		if (form.limit == Limit::stays) {
			CHECK(status.off == 0);
			CHECK(status.saturated >= stall_ns / status.period - room);
		} else {
			CHECK(status.saturated == 1);
			CHECK(status.state == PROFIL_STATE_LIMIT);
		}
	}
}

TEST_CASE_METHOD(LateTicks, "pcsample stores the PC of each late tick, and no more than fit",
		 "[lib][pcsample][icount]")
{
	for (const long room : {1000L, 150L}) {
		const OffAtEnd off;
		std::vector<uintptr_t> samples(1001);

		REQUIRE(pcsample(samples.data(), room) == 0);
		BusyModule::interrupt(stall_ms);
		loop.spin(rounds);
		const auto status = self_status();
		const long stored = pcsample(nullptr, 0);
		const auto in_loop = std::count_if(samples.begin(), samples.end(), [&](uintptr_t pc) {
			return pc - loop.pc() <= CODE_LOOP_RETURN;
		});

		CAPTURE(room, stored, status.counted, in_loop);
		CHECK(status.lost_late == 0);
		CHECK(samples[static_cast<size_t>(stored)] == 0);
		CHECK(in_loop >= stored - 2);
		if (room == 150)
			CHECK(stored == room);
		else
			CHECK(stored >= static_cast<long>(stall_ns / status.period));
	}
}

TEST_CASE_METHOD(LateTicks, "an array that is not there is at fault, not full, however many ticks are late",
		 "[lib][pcsample][icount]")
{
	const OffAtEnd off;

	REQUIRE(pcsample(nowhere<uintptr_t>(), 8) == 0);
	BusyModule::interrupt(stall_ms);
	loop.spin(rounds);
	const auto status = self_status();
	CHECK(status.state == PROFIL_STATE_FAULT);
	CHECK(status.stored == 0);
	CHECK(status.counted == 0);
	CHECK(status.off > 8);
}
