// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/attach/update.cpp  PROFIL_UPDATE: new regions for a running profile. */
#include "tests/guest/attach/burning_target.h"
#include "tests/support/catch.h"

#include <cerrno>

using namespace guest;

TEST_CASE_METHOD(AtRest, "PROFIL_UPDATE changes the regions and loses no tick", "[attach]")
{
	await_no_clock();
	const BurningTarget target;
	const Device device, witness;
	const Memory counters(3 * page);
	const Fd proof = proof_of(target.pid());

	witness.attach(describe(loop_in(counters, 1024)), proof.get());
	const auto profile = device.attach(describe(loop_in(counters, 0)), proof.get());
	target.begin();
	uint64_t pinned = 0;
	for (size_t i = 1; i < 20; i++) {
		CHECK(counted_to(counters, 3, i - 1));
		/* Each update changes the number of pages or the kind of tick. */
		const profil_region regions[] = {
			loop_in(counters, i),
			one_counter(text + 64, text + 64 + CODE_LOOP_RETURN, counters.at(i % 3 * page), 4)};
		auto update = describe_update(profile, std::span(regions, 1 + i % 2));
		CHECK(device.call(PROFIL_UPDATE, &update) == 0);
		pinned = device.status(profile).pinned;
		CHECK(pinned == (i % 2 && i % 3 ? 2 : 1) * page);
	}
	CHECK(counted_to(counters, 3, 19));
	target.end();

	uint64_t counted = 0;
	for (size_t i = 0; i < 20; i++)
		counted += counter<uint64_t>(counters, i);
	const auto status = device.status(profile);
	CHECK(counted == counter<uint64_t>(counters, 1024));
	CHECK(status.counted == counted);
	const auto all = witness.status(1);
	CHECK(status.outside == all.outside);
	CHECK(locked_bytes() == pinned + page);
}

TEST_CASE_METHOD(AtRest, "PROFIL_UPDATE works only in the address space that owns the profile", "[attach]")
{
	const BurningTarget target;
	const Device device;
	const Memory counters(page);
	const auto profile = device.attach(describe(loop_in(counters)), proof_of(target.pid()).get());

	const auto error = in_child([&] {
		const auto region = loop_in(counters, 1);
		auto update = describe_update(profile, std::span(&region, 1));
		return device.call(PROFIL_UPDATE, &update);
	});
	CHECK(error == EPERM);

	/* A failed update changes nothing. */
	const auto nowhere = one_counter(text, text + CODE_LOOP_RETURN, nullptr, 8);
	auto update = describe_update(profile, std::span(&nowhere, 1));
	CHECK(device.call(PROFIL_UPDATE, &update) == EFAULT);
	target.begin();
	CHECK(counted_to(counters, 3));
	target.end();
	CHECK(device.status(profile).state == PROFIL_STATE_RUNNING);
}

TEST_CASE_METHOD(AtRest, "PROFIL_UPDATE keeps the overflow counter and the samples", "[attach]")
{
	const BurningTarget target;
	const Device device;
	const Memory counters(page), samples(page);

	SECTION("the overflow counter")
	{
		auto how = describe(loop_in(counters, 0));
		how.overflow = counters.address() + 8;
		how.overflow_width = 8;
		const auto profile = device.attach(how, proof_of(target.pid()).get());
		profil_update none = {};
		none.size = sizeof(none);
		none.profile = profile;
		CHECK(device.call(PROFIL_UPDATE, &none) == 0);
		target.begin();
		CHECK(counted_to(counters, 5, 1));
		target.end();
		CHECK(counter<uint64_t>(counters, 0) == 0);
	}
	SECTION("the samples")
	{
		const auto profile =
			device.attach(describe_samples(samples.at(), 512), proof_of(target.pid()).get());
		target.begin();
		CHECK(soon([&] { return device.status(profile).stored >= 5; }));
		const auto region = loop_in(counters, 0);
		auto update = describe_update(profile, std::span(&region, 1));
		CHECK(device.call(PROFIL_UPDATE, &update) == 0);
		CHECK(counted_to(counters, 5, 0));
		target.end();
		CHECK(device.stop(profile) >= 5);
		CHECK(counter<uint64_t>(samples, 4) != 0);
	}
}
