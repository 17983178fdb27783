// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/uapi/lifetime.cpp  The life of a profile, and the uses that keep the module
 * loaded.
 */
#include "tests/guest/record/support.h"
#include "tests/guest/support/burner.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
const uintptr_t text = Burner::usual;

/** Returns 0 or the error. */
int stop_all(const Device &device)
{
	profil_stop_all all = {};

	all.size = sizeof(all);
	return device.call(PROFIL_STOP_ALL, &all);
}

} // namespace

TEST_CASE_METHOD(AtRest, "a self profile outlives every descriptor", "[uapi][lifetime]")
{
	const Memory counters(page, MAP_SHARED);

	const auto counted = in_child([&] {
		const Burner burner;
		Device first;
		first.start(describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8)));
		first.close();
		/* Close descriptors as a daemon does, but not the pipe of the report. */
		for (int fd = 64; fd < 1024; fd++)
			close(fd);
		burner.burn_until(text, [&] { return counter<uint64_t>(counters) >= 5; });
		/* A new descriptor reaches the same profile. */
		const Device second;
		need_that(second.status().counted == counter<uint64_t>(counters), "it is the same profile");
		second.stop();
		return counter<uint64_t>(counters);
	});
	CHECK(counted >= 5);
	CHECK(counter<uint64_t>(counters) == counted);
}

TEST_CASE_METHOD(AtRest, "stopping without a self profile is no error", "[uapi][lifetime]")
{
	const Device device;

	CHECK(device.stop() == 0);
	const auto status = device.status();
	CHECK(status.state == PROFIL_STATE_NONE);
	CHECK(status.ticks == 0);
	CHECK(status.period == 0);
}

TEST_CASE_METHOD(AtRest, "a start replaces the previous profile without losing a tick", "[uapi][lifetime]")
{
	const Device device;
	const Burner burner;
	const Memory counters(page);
	Recording reference(256);
	const auto region = one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8);
	const auto same = describe(region);
	auto larger = same;

	/* A recording counts all of the ticks, for comparison. */
	const auto missed = [&] {
		const uint64_t all = reference.sum([](const Row &row) {
			return row.text.kind == PROFIL_KIND_MEMORY &&
			       row.text.base + row.offset - text < CODE_LOOP_RETURN;
		});
		return all - counter<uint64_t>(counters);
	};
	reference.begin(getpid());
	larger.overflow = counters.address() + 64;
	larger.overflow_width = 8;
	device.start(same);
	const auto before = missed();
	for (int i = 0; i < 50; i++) {
		burner.burn(text, 500'000);
		device.start(i % 2 ? larger : same);
	}
	burn_ticks(device, burner, text, 1);
	CHECK(missed() == before);
	CHECK(locked_bytes() == 2 * page);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "PROFIL_STOP_ALL needs privilege and ends all profiles", "[uapi][lifetime]")
{
	const Device device;
	const Memory counters(page), its(page, MAP_SHARED);
	Recording recording(256);
	const auto region = one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8);
	const auto shared = one_counter(text, text + CODE_LOOP_RETURN, its.at(), 8);
	const Gate started, look;

	ChildOf<profil_status> child([&] {
		const Device own;
		own.start(describe(shared));
		started.open();
		look.wait();
		return own.status();
	});
	started.wait();
	recording.begin(child.pid());
	device.start(describe(region));

	CHECK(in_child([&] {
		      become_nobody();
		      return stop_all(device);
	      }) == EPERM);
	CHECK(device.status().state == PROFIL_STATE_RUNNING);
	CHECK(recording.status().state == PROFIL_STATE_RUNNING);

	CHECK(stop_all(device) == 0);
	CHECK(device.status().state == PROFIL_STATE_NONE);
	CHECK(recording.status().state == PROFIL_STATE_STOPPED);
	CHECK(recording.status().pinned == 0);
	look.open();
	CHECK(child.result().state == PROFIL_STATE_NONE);
	recording.device().stop(recording.profile());
	CHECK(soon([&] { return module_stat("pinned_pages") == pages(); }));
}

TEST_CASE_METHOD(AtRest, "threads can start, stop and query at the same time", "[uapi][lifetime]")
{
	const Burner burner;
	const Memory counters(4 * page);
	std::vector<std::thread> threads;

	burner.plant_loop(text);
	for (int i = 0; i < 4; i++)
		threads.emplace_back([&counters, i] {
			const Device device;
			for (int n = 0; n < 40; n++) {
				const auto place = counters.at((i + n) % 3 * page);
				device.start(describe(each_address(text, text + page / 8, place, 8)));
				device.status();
				Burner::spin(text, 100'000);
				if (n % 3 == i % 3)
					device.stop();
				if (n % 8 == 7)
					in_child([&] { return device.status().state; });
			}
		});
	for (auto &thread : threads)
		thread.join();
	Device().stop();
}

TEST_CASE("the module cannot be unloaded while in use, and can be reloaded afterwards", "[uapi][lifetime]")
{
	SECTION("an open file")
	{
		const Device device;
		CHECK(unload_module() == EWOULDBLOCK);
	}
	SECTION("a self profile, without any descriptor")
	{
		const Gate started, done;
		Child child([&] {
			const Memory counters(page);
			Device().start(
				describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8)));
			started.open();
			done.wait();
		});
		started.wait();
		CHECK(unload_module() == EWOULDBLOCK);
		done.open();
		child.join();
	}
	/* The module is unused after a short time. */
	CHECK(soon([] { return unload_module() == 0; }));
	CHECK(access("/dev/profil", F_OK) != 0);
	REQUIRE(load_module() == 0);
	CHECK(soon([] { return access("/dev/profil", R_OK | W_OK) == 0; }));
	Device().stop();
	CHECK(module_stat("profiles") == 0);
}

TEST_CASE_METHOD(AtRest, "profiles that end with their programs leave no claim on the clock",
		 "[uapi][lifetime]")
{
	const Memory counters(4096);
	const auto how = describe(one_counter(0x1000, 0x1002, counters.at(), 4));

	/* One child at a time: a claim left behind is in freed memory when the next is added. */
	for (unsigned i = 0; i < 20; i++) {
		Child([&] { Device().start(how); }).reap();
		REQUIRE(soon([&] { return module_stat("profiles") == profiles(); }));
	}
	CHECK(soon([] { return module_stat("clock_period") == 0; }));
}
