// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/race/hostile_users.cpp  Regression tests for bugs that a hostile user could
 * trigger.  Each test failed before the fix.
 */
#include "tests/guest/support/device.h"
#include "tests/support/catch.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace guest;

namespace {

constexpr const char *paranoid = "/proc/sys/kernel/perf_event_paranoid";

bool clock_stands_still()
{
	return module_stat("clock_period") == 0;
}

int stop_all(const Device &device)
{
	profil_stop_all all{};
	all.size = sizeof(all);
	return device.call(PROFIL_STOP_ALL, &all);
}

profil_info info_of(const Device &device)
{
	profil_info info{};
	info.size = sizeof(info);
	need_that(device.call(PROFIL_INFO, &info) == 0, "PROFIL_INFO");
	return info;
}

} // namespace

TEST_CASE_METHOD(
	AtRest,
	"a user without privilege can profile their own process with perf forbidden and no clock running")
{
	const Setting forbidden(paranoid, "3");
	REQUIRE(soon(clock_stands_still));

	const auto status = in_child([] {
		become_nobody();
		const Device device;
		const Burner burner;
		const Memory counters(4096);

		device.start(
			describe(one_counter(burner.start(), burner.start() + 16, counters.at()), 1'000'000));
		burn_ticks(device, burner, burner.start(), 5);
		return device.status();
	});
	CHECK(status.counted >= 5);
}

TEST_CASE_METHOD(AtRest, "a child of a profile with a full array is off and its ticks are counted as off")
{
	/* Another profile keeps the clock at the child's period. */
	const Device other;
	const Memory counter_of_other(4096);
	other.start(describe(one_counter(1, 2, counter_of_other.at()), 1'000'000));

	const auto status = in_child([] {
		become_nobody();
		const Device device;
		const Burner burner;
		const Memory samples(4096);
		auto how = describe_samples(samples.at(), 4, 8, 1'000'000);

		how.flags = PROFIL_FOLLOW;
		device.start(how);
		burner.burn_until(burner.start(), [&] { return device.status().state == PROFIL_STATE_FULL; });
		return in_child([&] {
			burn_ticks(device, burner, burner.start(), 5, &profil_status::off);
			return device.status();
		});
	});
	CHECK(status.state == PROFIL_STATE_FULL);
	CHECK(status.stored == 4);
	CHECK(status.counted == 0);
	CHECK(status.off > 0);
	other.stop();
}

TEST_CASE_METHOD(AtRest, "a start during PROFIL_STOP_ALL succeeds or leaves nothing, and the next one works")
{
	const Device device;
	const auto ok = in_child([&] {
		const Device own;
		const Memory counters(1 << 16);
		std::atomic<bool> done{false};
		std::thread ender([&] {
			while (!done)
				stop_all(own);
		});

		for (unsigned i = 0; i < 500 / slowness(); i++)
			own.start(describe(each_address(0x1000, 0x2000, counters.at())));
		done = true;
		ender.join();
		own.start(describe(each_address(0x1000, 0x2000, counters.at())));
		const auto state = own.status().state;
		own.stop();
		return state;
	});
	CHECK(ok == PROFIL_STATE_RUNNING);
}

TEST_CASE_METHOD(AtRest, "the clock slows down when its fastest profile ends and another stays")
{
	const Device device;
	const Memory counters(4096);
	const auto region = one_counter(1, 2, counters.at());

	device.start(describe(region, 20'000));
	CHECK(module_stat("clock_period") == 20'000);
	device.start(describe(region, 10'000'000));
	CHECK(soon([] { return module_stat("clock_period") == 10'000'000; }));
	device.stop();
}

TEST_CASE_METHOD(
	AtRest,
	"a clock becomes twice as fast for a slightly shorter period and is not restarted for the next")
{
	const Device device;
	const Memory counters(4096);
	const auto region = one_counter(1, 2, counters.at());

	REQUIRE(soon(clock_stands_still));
	device.start(describe(region, 10'000'000));
	CHECK(module_stat("clock_period") == 10'000'000);
	device.start(describe(region, 9'999'999));
	CHECK(module_stat("clock_period") == 5'000'000);
	device.start(describe(region, 9'999'998));
	CHECK(module_stat("clock_period") == 5'000'000);
	CHECK(soon([] { return module_stat("clock_period") == 9'999'998; }));
	device.stop();
}

TEST_CASE_METHOD(AtRest, "the pages of a profile's successor are charged to the process's new user")
{
	const auto used = in_child([] {
		const Device device;
		const Burner burner;
		const Memory counters(4096);
		const auto how = describe(
			one_counter(burner.start(), burner.start() + CODE_LOOP_RETURN, counters.at()),
			1'000'000);
		const auto become_user = [](uid_t user) {
			need(setresuid(0, 0, 0), "setresuid");
			need(setresuid(user, user, 0), "setresuid");
		};
		struct Used {
			uint64_t before, started, on, of_first, off;
		} pages{};

		become_user(1001);
		device.start(how);
		burn_ticks(device, burner, burner.start(), 1);
		pages.before = info_of(device).pages_used;
		become_user(1002);
		device.start(how);
		pages.started = info_of(device).pages_used;
		burn_ticks(device, burner, burner.start(), 1);
		pages.on = info_of(device).pages_used;
		become_user(1001);
		pages.of_first = info_of(device).pages_used;
		become_user(1002);
		device.stop();
		pages.off = info_of(device).pages_used;
		return pages;
	});
	CHECK(used.before == 1);
	CHECK(used.started == 0);
	CHECK(used.on == 1);
	CHECK(used.of_first == 0);
	CHECK(used.off == 0);
}

TEST_CASE_METHOD(AtRest, "counters larger than memory are refused before anything is allocated for them")
{
	const auto error = in_child([] {
		become_nobody();
		const Device device;
		std::vector<profil_region> regions(64);

		for (size_t i = 0; i < regions.size(); i++) {
			auto &r = regions[i];
			r.low = r.offset = (i + 1) << 40;
			r.high = r.low + (uint64_t{1} << 37);
			r.buffer = (i + 1) << 37;
			r.bytes = uint64_t{1} << 36;
			r.scale = 0x10000;
			r.width = 2;
			r.post = 1;
		}
		auto how = describe(regions, 1'000'000);
		return device.call(PROFIL_START, &how);
	});
	CHECK(error == ENOMEM);
}

TEST_CASE_METHOD(AtRest, "an exec of a followed process after PROFIL_STOP_ALL keeps no profile alive")
{
	Gate gate;
	const Child child([&] {
		gate.wait();
		execl("/bin/sleep", "sleep", "60", nullptr);
	});
	{
		const Device device;
		const Memory table(4096);
		const auto name = "/proc/" + std::to_string(child.pid()) + "/comm";

		device.record(describe_recording(table), proof_of(child.pid()).get());
		REQUIRE(stop_all(device) == 0);
		gate.open();
		REQUIRE(soon([&] { return read_file(name) == "sleep\n"; }));
	}
	CHECK(soon([&] { return module_stat("profiles") == profiles(); }));
	CHECK(soon([&] { return module_stat("images") == images(); }));
}

TEST_CASE_METHOD(AtRest, "after PROFIL_STOP_ALL no fork counts as lost, however often its process executes")
{
	/*
	 * If an exec took memory from the recording's pool, the pool would soon be empty: once the
	 * recording has ended, nothing refills it.
	 */
	constexpr char program[] = "[ $1 -eq 0 ] || exec sh -c \"$0\" \"$0\" $(($1 - 1)); true & true & wait";
	const auto lost = module_stat("forks_lost");
	Gate gate;
	Child child([&] {
		gate.wait();
		execl("/bin/sh", "sh", "-c", program, program, "100", nullptr);
	});
	const Device device;
	const Memory table(4096);

	device.record(describe_recording(table), proof_of(child.pid()).get());
	REQUIRE(stop_all(device) == 0);
	gate.open();
	child.join();
	CHECK(module_stat("forks_lost") == lost);
}

TEST_CASE_METHOD(AtRest, "stopping recordings while they begin leaves none behind")
{
	const unsigned rounds = 10 + 40 / slowness();
	std::vector<Child> children;
	std::vector<Fd> proofs;
	for (int i = 0; i < 4; i++) {
		children.emplace_back([] { pause(); });
		proofs.push_back(proof_of(children.back().pid()));
	}
	const Memory tables(4 * 4096);
	for (unsigned i = 0; i < rounds; i++) {
		const Device device;
		std::atomic<bool> done{false};
		std::thread stopper([&] {
			for (uint32_t id = 1; !done; id = id % 4 + 1) {
				profil_stop stop{};
				stop.size = sizeof(stop);
				stop.profile = id;
				device.call(PROFIL_STOP, &stop);
			}
		});
		std::vector<std::thread> recorders;
		for (size_t k = 0; k < proofs.size(); k++)
			recorders.emplace_back([&, k] {
				auto how = describe_recording(tables.at(k * 4096), 4096, 0, period_10khz);
				how.proof = proofs[k].get();
				device.call(PROFIL_RECORD, &how);
			});
		for (auto &recorder : recorders)
			recorder.join();
		done = true;
		stopper.join();
	}
	CHECK(soon([&] { return module_stat("profiles") == profiles(); }));
	CHECK(soon([&] { return module_stat("pinned_pages") == pages(); }));
}
