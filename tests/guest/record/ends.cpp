// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/ends.cpp  Events that end a recording, and when they are noticed. */
#include "tests/guest/record/support.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
const uintptr_t text = Burner::usual;

/**
 * A child that runs a loop from begin() to end(), and otherwise sleeps in the kernel.  (It may
 * still have a tick in the kernel between two commands.)
 */
class BurningTarget {
public:
	BurningTarget()
		: child_([this] {
			  const Burner burner;
			  for (;;) {
				  begin_.wait();
				  burner.burn_until(text, [this] { return counter<uint64_t>(flag_) == 0; });
				  ended_.open();
			  }
		  })
	{
		await_sleep();
	}

	pid_t pid() const { return child_.pid(); }
	void begin() const
	{
		*flag_.at<volatile uint64_t>() = 1;
		begin_.open();
	}
	void end() const
	{
		*flag_.at<volatile uint64_t>() = 0;
		ended_.wait();
		await_sleep();
	}

private:
	void await_sleep() const
	{
		need_that(soon([this] { return asleep(pid()); }), "the target sleeps");
	}

	Memory flag_{page, MAP_SHARED};
	Gate begin_, ended_;
	Child child_;
};

/**
 * Record a process into a table that the test may share with other processes.  Returns the
 * profile's number.
 */
uint32_t record(const Device &device, const Memory &table, pid_t pid)
{
	return device.record(describe_recording(table), proof_of(pid).get());
}

bool counted_to(const Memory &table, uint64_t ticks)
{
	return soon([&] { return sum_table(table) >= ticks; });
}

/** Checks that this table stays the same while another recording counts the target's ticks. */
void check_unchanged_while_counted(const Memory &table, const BurningTarget &target)
{
	const Device device;
	const Memory other(page);
	const auto last = sum_table(table);

	record(device, other, target.pid());
	CHECK(counted_to(other, 20));
	CHECK(sum_table(table) == last);
}

} // namespace

TEST_CASE_METHOD(AtRest, "a table is pinned and charged for its owner alone, until the recording is stopped",
		 "[record]")
{
	const BurningTarget target;
	const Device device;
	const Memory table(2 * page);
	Fd proof = proof_of(target.pid());

	const auto profile = device.record(describe_recording(table), proof.get());
	proof.reset();
	target.begin();
	CHECK(counted_to(table, 20));
	target.end();
	CHECK(device.status().state == PROFIL_STATE_NONE); /* no self profile */
	const auto status = device.status(profile);
	CHECK(status.counted + status.kernel == sum_table(table));
	CHECK(status.pinned == 2 * page);
	CHECK(status.processes == 1);
	CHECK(status.state == PROFIL_STATE_RUNNING);
	CHECK(locked_bytes() == 2 * page);
	CHECK(locked_bytes(target.pid()) == 0);
	device.stop(profile);
	CHECK(locked_bytes() == 0);
}

TEST_CASE_METHOD(AtRest, "a new recording has no ticks of the recordings whose memory it reuses",
		 "[record][lifetime]")
{
	constexpr size_t number = 40;
	const BurningTarget target;
	const auto others = module_stat("profiles");
	std::vector<std::unique_ptr<Recording>> recordings(number);
	const auto begin = [&](size_t i) {
		recordings[i] = std::make_unique<Recording>(256);
		recordings[i]->begin(target.pid());
	};

	for (size_t i = 0; i < number; i++)
		begin(i);
	target.begin();
	for (const auto &one : recordings)
		CHECK(counted_to(one->table(), 20));
	target.end();
	/* Several profiles share a slab: keep one in eight, so that new ones reuse the memory. */
	for (size_t i = 0; i < number; i++)
		if (i % 8)
			recordings[i].reset();
	REQUIRE(soon([&] { return module_stat("profiles") == others + number / 8; }));
	for (size_t i = 0; i < number; i++) {
		if (i % 8) {
			begin(i);
			CHECK(recordings[i]->status().ticks == 0);
		}
	}
}

TEST_CASE_METHOD(AtRest, "a stop, a close and the owner's death each end a recording", "[record][lifetime]")
{
	const BurningTarget target;
	const Memory table(page, MAP_SHARED);

	target.begin();
	SECTION("PROFIL_STOP")
	{
		const Device device;
		const auto profile = record(device, table, target.pid());
		CHECK(counted_to(table, 5));
		device.stop(profile);
		profil_status status = {};
		status.size = sizeof(status);
		status.profile = profile;
		CHECK(device.call(PROFIL_STATUS, &status) == ENOENT);
	}
	SECTION("close")
	{
		Device device;
		record(device, table, target.pid());
		CHECK(counted_to(table, 5));
		device.close();
	}
	SECTION("SIGKILL")
	{
		Child owner([&] {
			const Device device;
			record(device, table, target.pid());
			pause();
		});
		CHECK(counted_to(table, 5));
		kill(owner.pid(), SIGKILL);
		owner.reap();
		CHECK(soon([&] { return module_stat("pinned_pages") == pages(); }));
	}
	check_unchanged_while_counted(table, target);
	target.end();
}

TEST_CASE_METHOD(AtRest, "a recording ends with its owner's memory, even while the file stays open",
		 "[record][lifetime]")
{
	const BurningTarget target;
	const Device device;
	const Memory table(page, MAP_SHARED);

	target.begin();
	const auto profile = in_child([&] {
		const auto number = record(device, table, target.pid());
		need_that(counted_to(table, 5), "it counts");
		return number;
	});
	/* The file is still open, but the pages belonged to the child, which has ended. */
	CHECK(soon([&] { return device.status(profile).state == PROFIL_STATE_STOPPED; }));
	check_unchanged_while_counted(table, target);
	CHECK(soon([&] { return device.status(profile).pinned == 0; }));
	target.end();
	device.stop(profile);
}

TEST_CASE_METHOD(AtRest, "the end of a recording's owner is noticed even if its target ended first",
		 "[record][lifetime]")
{
	const Device device;
	const Memory table(page, MAP_SHARED);
	const Gate begun, gone;

	Child target([] { pause(); });
	Child owner([&] {
		record(device, table, target.pid());
		begun.open();
		gone.wait();
	});
	begun.wait();
	kill(target.pid(), SIGKILL);
	target.reap();
	CHECK(soon([&] { return module_stat("images") == images(); }));
	CHECK(device.status(1).pinned == page);
	gone.open();
	owner.join();
	CHECK(soon([&] { return device.status(1).pinned == 0; }));
	CHECK(device.status(1).state == PROFIL_STATE_STOPPED);
	CHECK(soon([] { return module_stat("clock_period") == 0; }));
	device.stop(1);
}

TEST_CASE_METHOD(AtRest, "ending another process's recording does not wait for that process's mmap lock",
		 "[record]")
{
	const BurningTarget target;
	const Gate begun, again;
	const Device device;
	const Memory table(page, MAP_SHARED);

	/* An owner that holds its mmap_lock half of the time. */
	const Child owner([&] {
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
			record(device, table, target.pid());
			begun.open();
			again.wait();
			memset(table.at(), 0, page);
		}
	});
	for (unsigned round = 0; round < 24 / slowness(); round++) {
		begun.wait();
		CHECK(locked_bytes(owner.pid()) == page);
		device.stop(1);
		CHECK(soon([&] { return locked_bytes(owner.pid()) == 0; }));
		again.open();
	}
	begun.wait();
}
