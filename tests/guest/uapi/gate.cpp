// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/uapi/gate.cpp  struct profil_gate: a program turns its own profile off without
 * a system call.
 */
#include "tests/guest/support/places.h"
#include "tests/support/catch.h"

#include <cerrno>

using namespace guest;

namespace {

/** A gate and a counter, each in a page of its own. */
struct Gated {
	Memory memory{2 * 4096};
	profil_gate &gate = *memory.at<profil_gate>();
	volatile uint64_t &counter = *memory.at<volatile uint64_t>(4096);

	[[nodiscard]] profil_start how() const
	{
		auto start = describe(region_on(&counter));

		start.gate = memory.address();
		return start;
	}
	void shut() const { __atomic_fetch_add(&gate.value, 1, __ATOMIC_SEQ_CST); }
};

bool counts(const Burner &burner, const volatile uint64_t &counter)
{
	const auto before = counter;

	burner.burn(counted_text, 5'000'000);
	return counter != before;
}

} // namespace

TEST_CASE_METHOD(AtRest, "a profile counts only as long as its gate has the value of the start",
		 "[uapi][gate]")
{
	const ClockKeeper ticking;
	const Device device;
	const Burner burner;

	for (const uint32_t value : {0U, 1U, ~0U}) {
		const Gated gated;

		CAPTURE(value);
		gated.gate.value = value;
		device.start(gated.how());
		check_counts_on(device, burner, &gated.counter);
		gated.shut();
		CHECK_FALSE(counts(burner, gated.counter));
		CHECK(device.status().state == PROFIL_STATE_NONE);
		/* The profile has ended, so it stays off when the gate is opened again. */
		gated.gate.value = value;
		CHECK_FALSE(counts(burner, gated.counter));
		CHECK(device.stop() == 0);
	}
}

TEST_CASE_METHOD(AtRest, "every command treats a profile as ended once its gate is shut, even before a tick",
		 "[uapi][gate]")
{
	const Device device;
	const Burner burner;
	const Gated gated;
	profil_gate &gate = gated.gate;
	const Memory pcs(4096);
	auto samples = describe_samples(pcs.at(), 100);

	samples.gate = gated.memory.address();
	for (const unsigned command : {PROFIL_STATUS, PROFIL_STOP, PROFIL_START}) {
		CAPTURE(command);
		gate.stored = 0;
		device.start(samples);
		burner.burn_until(counted_text, [&] { return device.status().stored >= 3; });
		gated.shut();
		CHECK(gate.stored >= 3);
		CHECK(*pcs.at<uint64_t>(8 * (gate.stored - 1)) != 0);
		if (command == PROFIL_STATUS)
			CHECK(device.status().state == PROFIL_STATE_NONE);
		if (command == PROFIL_STOP)
			CHECK(device.stop() == 0);
		auto again = samples;
		need(device.call(PROFIL_START, &again), "PROFIL_START");
		CHECK(again.stored == 0);
		device.stop();
	}
}

TEST_CASE_METHOD(AtRest, "the kernel ends a shut profile of a sleeping process", "[uapi][gate]")
{
	const Device device;
	const Gated gated;

	device.start(gated.how());
	CHECK(module_stat("profiles") == profiles() + 1);
	check_counts_on(device, Burner(), &gated.counter);
	CHECK(locked_bytes() == 4096);
	gated.shut();
	CHECK(soon([&] { return module_stat("profiles") == profiles() && locked_bytes() == 0; }));
}

TEST_CASE_METHOD(AtRest, "each process of a fork has a gate of its own", "[uapi][gate][fork]")
{
	const Device device;
	const Burner burner;
	const Gated gated;
	auto how = gated.how();

	how.flags |= PROFIL_FOLLOW;
	device.start(how);
	check_counts_on(device, burner, &gated.counter);
	CHECK(in_child([&] {
		const auto inherited = gated.counter;

		burner.burn_until(counted_text, [&] { return gated.counter != inherited; });
		gated.shut();
		return !counts(burner, gated.counter) && Device().status().state == PROFIL_STATE_NONE;
	}));
	check_counts_on(device, burner, &gated.counter);
	gated.shut();
	CHECK(in_child([&] { return !counts(burner, gated.counter); }));
}

TEST_CASE_METHOD(AtRest, "a profile without the page of its gate is off", "[uapi][gate]")
{
	const ClockKeeper ticking;
	const Device device;
	const Burner burner;

	const Gated gated;

	device.start(gated.how());
	check_counts_on(device, burner, &gated.counter);
	need(mprotect(gated.memory.at(), 4096, PROT_READ), "mprotect");
	CHECK(device.status().state != PROFIL_STATE_LIMIT); /* checks the memory */
	burner.burn(counted_text, 5'000'000);
	CHECK_FALSE(counts(burner, gated.counter));
	CHECK(device.status().state != PROFIL_STATE_RUNNING);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "a gate that the module cannot use is refused, by both ways", "[uapi][gate]")
{
	const Device device;
	Ring ring;
	const Gated gated;
	const auto error_of = [&](uint64_t gate) {
		auto how = gated.how();
		auto same = how;

		how.gate = same.gate = gate;
		const int error = device.call(PROFIL_START, &how);
		CHECK(ring.call(device, PROFIL_START, &same, sizeof same) == error);
		return error;
	};

	for (const unsigned odd : {1, 4, 8})
		CHECK(error_of(gated.memory.address() + odd) == EINVAL);
	CHECK(error_of(0x10000) == EFAULT);
	CHECK(error_of(~0ULL - 15) == EFAULT);
	need(mprotect(gated.memory.at(), 4096, PROT_READ), "mprotect");
	CHECK(error_of(gated.memory.address()) == EFAULT);
	CHECK(device.status().state == PROFIL_STATE_NONE);
}
