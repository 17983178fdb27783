// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/attach/ends.cpp  What ends an attached profile, and when the end is noticed. */
#include "tests/guest/attach/burning_target.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace guest;

namespace {

/** Do these counters stay the same while another profile of the target counts its ticks? */
void check_unchanged_while_counted(const Memory &counters, const BurningTarget &target)
{
	const Device device;
	const Memory others(page, MAP_SHARED);
	const auto last = counter<uint64_t>(counters);
	const auto other = device.attach(describe(loop_in(others)), proof_of(target.pid()).get());

	CHECK(counted_to(others, 20));
	CHECK(counter<uint64_t>(counters) == last);
	device.stop(other);
}

} // namespace

TEST_CASE_METHOD(AtRest, "a stop, a close and the attacher's death each end an attached profile", "[attach]")
{
	const BurningTarget target;
	const Memory counters(page, MAP_SHARED);

	target.begin();
	SECTION("PROFIL_STOP")
	{
		const Device device;
		const auto profile = device.attach(describe(loop_in(counters)), proof_of(target.pid()).get());
		CHECK(counted_to(counters, 5));
		device.stop(profile);
		profil_status status = {};
		status.size = sizeof(status);
		status.profile = profile;
		CHECK(device.call(PROFIL_STATUS, &status) == ENOENT);
	}
	SECTION("close")
	{
		Device device;
		device.attach(describe(loop_in(counters)), proof_of(target.pid()).get());
		CHECK(counted_to(counters, 5));
		device.close();
	}
	SECTION("SIGKILL")
	{
		Child attacher([&] {
			const Device device;
			device.attach(describe(loop_in(counters)), proof_of(target.pid()).get());
			pause();
		});
		CHECK(counted_to(counters, 5));
		kill(attacher.pid(), SIGKILL);
		attacher.reap();
		CHECK(soon([&] { return module_stat("pinned_pages") == pages(); }));
	}
	check_unchanged_while_counted(counters, target);
	target.end();
}

TEST_CASE_METHOD(AtRest,
		 "an attached profile ends with its attacher's memory, even while the file stays open",
		 "[attach]")
{
	const BurningTarget target;
	const Device device;
	const Memory counters(page, MAP_SHARED);

	target.begin();
	const auto profile = in_child([&] {
		const auto number = device.attach(describe(loop_in(counters)), proof_of(target.pid()).get());
		need_that(counted_to(counters, 5), "it counts");
		return number;
	});
	/* The file is still open, but the pages belonged to the child, which has ended. */
	CHECK(soon([&] { return device.status(profile).state == PROFIL_STATE_STOPPED; }));
	check_unchanged_while_counted(counters, target);
	CHECK(soon([&] { return module_stat("pinned_pages") == pages(); }));
	target.end();
	device.stop(profile);
}

TEST_CASE_METHOD(AtRest, "a status finds an attached profile off after its memory is gone", "[attach][fault]")
{
	const ClockKeeper keeper;
	const BurningTarget target;
	const Device device;
	const Memory counters(page);
	const auto profile = device.attach(describe(loop_in(counters)), proof_of(target.pid()).get());

	target.begin();
	CHECK(counted_to(counters, 3));
	mprotect(counters.at(), page, PROT_READ);
	CHECK(device.status(profile).state == PROFIL_STATE_FAULT);
	const auto last = counter<uint64_t>(counters);
	CHECK(soon([&] { return device.status(profile).off > 0; }));
	CHECK(counter<uint64_t>(counters) == last);
	target.end();
}

TEST_CASE_METHOD(AtRest, "an attacher's end is noticed even if its target ended first", "[attach]")
{
	const Device device;
	const Memory counters(page, MAP_SHARED);
	const Gate attached, gone;

	Child target([] { pause(); });
	Child attacher([&] {
		device.attach(describe(loop_in(counters)), proof_of(target.pid()).get());
		attached.open();
		gone.wait();
	});
	attached.wait();
	kill(target.pid(), SIGKILL);
	target.reap();
	CHECK(soon([&] { return module_stat("images") == images(); }));
	CHECK(module_stat("pinned_pages") == pages() + 1);
	gone.open();
	attacher.join();
	CHECK(soon([&] { return module_stat("pinned_pages") == pages(); }));
	CHECK(device.status(1).state == PROFIL_STATE_STOPPED);
	CHECK(soon([] { return module_stat("clock_period") == 0; }));
	device.stop(1);
}

TEST_CASE_METHOD(AtRest, "PROFIL_STOP_ALL does not change the count of a full array", "[attach]")
{
	const BurningTarget target;
	const Device device;
	const Memory counters(page), samples(page);
	const auto elsewhere = one_counter(text + 64, text + 64 + CODE_LOOP_RETURN, counters.at(), 8);
	auto how = describe(elsewhere);
	profil_stop_all all = {};

	/* The loop is in no region, so its PCs are stored; there is room for three. */
	how.samples = samples.address();
	how.nr_samples = 3;
	how.sample_width = 8;
	const auto profile = device.attach(how, proof_of(target.pid()).get());
	target.begin();
	CHECK(soon([&] { return device.status(profile).outside > 3; }));
	CHECK(device.status(profile).stored == 3);
	all.size = sizeof(all);
	CHECK(device.call(PROFIL_STOP_ALL, &all) == 0);
	CHECK(device.status(profile).stored == 3);
	target.end();
}

TEST_CASE_METHOD(AtRest, "ending another process's profile does not wait for that process's mmap lock",
		 "[attach]")
{
	const BurningTarget target;
	const Gate attached, again;
	const Device device;
	const Memory counters(page, MAP_SHARED);

	/* An attacher that holds its mmap_lock half of the time. */
	const Child attacher([&] {
		std::thread([] {
			for (;;) {
				const auto begin = std::chrono::steady_clock::now();
				{
					const Memory changing(256 * page, MAP_POPULATE);
				}
				std::this_thread::sleep_for(std::chrono::steady_clock::now() - begin);
			}
		}).detach();
		for (;;) {
			device.attach(describe(loop_in(counters)), proof_of(target.pid()).get());
			attached.open();
			again.wait();
		}
	});
	for (unsigned round = 0; round < 24 / slowness(); round++) {
		attached.wait();
		CHECK(locked_bytes(attacher.pid()) == page);
		device.stop(1);
		CHECK(soon([&] { return locked_bytes(attacher.pid()) == 0; }));
		again.open();
	}
	attached.wait();
}
