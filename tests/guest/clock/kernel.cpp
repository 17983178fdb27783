// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/clock/kernel.cpp  Ticks in kernel mode, with and without a user PC. */
#include "tests/guest/support/burner.h"
#include "tests/guest/support/device.h"
#include "tests/support/catch.h"

#include <sys/syscall.h>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096, megabyte = 1 << 20;
const uintptr_t text = Burner::usual;

} // namespace

TEST_CASE_METHOD(AtRest, "PROFIL_KERNEL_TICKS counts kernel ticks at the PC to which the task returns",
		 "[clock]")
{
	const Device device;
	const Burner burner;
	const Memory counters(page);
	const auto region = each_address(text, text + 64, counters.at(), 8);
	const auto back = burner.plant_syscalls(text, SYS_getppid);
	auto how = describe(region);

	SECTION("with PROFIL_KERNEL_TICKS")
	{
		how.flags = PROFIL_KERNEL_TICKS;
		device.start(how);
		while (counter<uint64_t>(counters, back - text) < 20)
			Burner::spin(text, 10'000);
		const auto status = device.status();
		CHECK(status.kernel == 0);
		CHECK(status.counted >= sum_counters<uint64_t>(counters));
	}
	SECTION("without PROFIL_KERNEL_TICKS")
	{
		device.start(how);
		while (device.status().kernel < 20)
			Burner::spin(text, 10'000);
		const auto status = device.status();
		CHECK(status.counted == sum_counters<uint64_t>(counters));
	}
	device.stop();
}

TEST_CASE_METHOD(AtRest, "all ticks of a long system call are at one PC", "[clock]")
{
	const Device device;
	const Memory counters(page), target(megabyte);
	const Fd zero(need(open("/dev/zero", O_RDONLY | O_CLOEXEC), "/dev/zero"));
	/*
	 * One counter for all of user space; one counter for each 2^24 bytes would already be too
	 * many counters.
	 */
	const auto region = one_counter(0, CODE_END, counters.at(), 8);
	auto how = describe(region);

	how.flags = PROFIL_KERNEL_TICKS;
	device.start(how);
	while (counter<uint64_t>(counters) < 20)
		need(static_cast<int>(read(zero.get(), target.at(), target.bytes())), "read");
	const auto status = device.status();
	CHECK(status.kernel == 0);
	CHECK(status.outside == 0);
	CHECK(counter<uint64_t>(counters) >= status.counted);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "an io_uring worker has no user PC", "[clock]")
{
	const Device device;
	const Memory counters(page), target(megabyte);
	const Fd zero(need(open("/dev/zero", O_RDONLY | O_CLOEXEC), "/dev/zero"));
	const uint32_t flags = GENERATE(0U, uint32_t{PROFIL_KERNEL_TICKS});
	const auto region = one_counter(0, CODE_END, counters.at(), 8);
	auto how = describe(region);
	Ring ring;

	CAPTURE(flags);
	how.flags = flags;
	device.start(how);
	int reads = 0;
	while (device.status().no_user_pc < 10) {
		REQUIRE(reads++ < 10'000);
		ring.read_zeroes(zero.get(), target.at(), target.bytes());
	}
	device.stop();
}

TEST_CASE_METHOD(AtRest, "a sleeping process gets no ticks while another process does", "[clock]")
{
	const Device mine, its;
	const Burner burner;
	const Memory counter(page), table(page);
	const Gate gate;
	const Child sleeper([&] { gate.wait(); });

	/* The sleeper has reached its gate, and stays there. */
	CHECK(soon([&] { return read_file("/proc/" + std::to_string(sleeper.pid()) + "/wchan") != "0"; }));
	const Fd proof = proof_of(sleeper.pid());
	const auto profile = its.record(describe_recording(table), proof.get());
	mine.start(describe(one_counter(text, text + CODE_LOOP_RETURN, counter.at(), 8)));
	burn_ticks(mine, burner, text, 50);
	const auto status = its.status(profile);
	CHECK(status.ticks == 0);
	CHECK(status.processes == 1);
	CHECK(sum_table(table) == 0);
	mine.stop();
}
