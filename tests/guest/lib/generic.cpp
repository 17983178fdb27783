// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/lib/generic.cpp  The generic profile of the calling process: <profil.h>. */
#include "tests/guest/lib/support.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <sys/mman.h>

using namespace guest;
using namespace lib_test;

namespace {

constexpr uint64_t ms = 1'000'000;

/** A region of 64 bytes of text, four for each counter; the third counter is the loop's. */
profil_region region_around(const Loop &loop, void *counters, unsigned width)
{
	profil_region region = {};

	region.low = loop.pc() - 8;
	region.high = region.low + 64;
	region.offset = region.low;
	region.buffer = reinterpret_cast<uintptr_t>(counters);
	region.bytes = 16 * width;
	region.scale = 0x4000;
	region.width = static_cast<__u8>(width);
	return region;
}

profil_spec spec_of(const profil_region *regions, uint32_t nr)
{
	profil_spec spec = {};

	spec.size = sizeof spec;
	spec.period = 5 * ms;
	spec.regions = regions;
	spec.nr_regions = nr;
	return spec;
}

/** Counters of any width, zeroed. */
using Counters = std::unique_ptr<void, void (*)(void *)>;

Counters make_counters()
{
	return {profil_counters_alloc(4096), [](void *memory) { profil_counters_free(memory, 4096); }};
}

} // namespace

TEST_CASE_METHOD(AtRest, "profil_get_info returns the module's version and limits", "[lib][generic]")
{
	profil_info info;

	memset(&info, 0xff, sizeof info);
	info.size = sizeof info;
	REQUIRE(profil_get_info(&info) == 0);
	CHECK(info.abi == PROFIL_ABI);
	CHECK(info.flags == 0);
	CHECK(info.region_max >= 64);
	CHECK(info.period_min > 0);
	CHECK(info.period_min <= 100'000);
	CHECK(info.pages_max > 0);
	CHECK(info.pages_used <= info.pages_max);

	info.size = 15;
	CHECK(profil_get_info(&info) == -1);
	CHECK(errno == EINVAL);
	CHECK(profil_get_info(nullptr) == -1);
	CHECK(errno == EFAULT);
}

TEST_CASE_METHOD(AtRest, "a structure longer than the module's is filled in as far as the module knows",
		 "[lib][generic]")
{
	struct {
		profil_info known;
		uint64_t more;
	} info;

	memset(&info, 0xff, sizeof info);
	info.known.size = sizeof info;
	REQUIRE(profil_get_info(&info.known) == 0);
	CHECK(info.known.abi == PROFIL_ABI);
	CHECK(info.more == 0);
}

TEST_CASE_METHOD(AtRest, "counters of 16, 32 and 64 bits count the same loop", "[lib][generic]")
{
	const Loop loop;
	const OffAtEnd off;

	for (const unsigned width : {2U, 4U, 8U}) {
		const Counters counters = make_counters();
		const profil_region region = region_around(loop, counters.get(), width);
		const profil_spec spec = spec_of(&region, 1);

		INFO("width " << width);
		REQUIRE(profil_counter_index(&region, loop.pc()) == 2);
		REQUIRE(profil_self_start(&spec, nullptr) == 0);
		loop.spin_until([&] { return profil_counter_read(&region, 2) >= 20; });

		const profil_status status = self_status();

		REQUIRE(profil_self_stop(nullptr) == 0);
		CHECK(status.period == 5 * ms);
		CHECK(status.counted >= 20);
		CHECK(status.ticks == accounted(status));
		for (size_t i = 0; i < 4096 / width; i++)
			if (i != 2 && i < 16)
				CHECK(profil_counter_read(&region, i) == 0);
		/* Only this counter may have changed. */
		const auto *bytes = static_cast<const unsigned char *>(counters.get());

		for (size_t i = 0; i < 4096; i++)
			if (i / width != 2 && bytes[i])
				FAIL("byte " << i << " is " << +bytes[i]);
	}
}

TEST_CASE_METHOD(AtRest, "every tick is accounted for while a profile runs", "[lib][generic]")
{
	const Loop loop;
	const OffAtEnd off;
	const Counters counters = make_counters();
	const profil_region region = region_around(loop, counters.get(), 8);
	profil_spec spec = spec_of(&region, 1);

	spec.period = ms;
	REQUIRE(profil_self_start(&spec, nullptr) == 0);
	for (int i = 0; i < 100; i++) {
		loop.spin(3'000'000);
		const profil_status status = self_status();

		if (status.ticks != accounted(status) || status.counted > profil_counter_read(&region, 2)) {
			CHECK(status.ticks == accounted(status));
			CHECK(status.counted <= profil_counter_read(&region, 2));
			break;
		}
	}

	uint64_t count;
	const profil_status status = steady_status([&] { return profil_counter_read(&region, 2); }, count);

	CHECK(status.counted == count);
	CHECK(status.counted > 0);
}

TEST_CASE_METHOD(AtRest, "without kernel ticks, ticks in the kernel are reported but not counted",
		 "[lib][generic]")
{
	const OffAtEnd off;
	const Counters counters = make_counters();
	profil_spec spec = spec_of(nullptr, 0);
	const int64_t begin = static_cast<int64_t>(thread_ns());

	/* All PCs count in one counter. */
	spec.overflow = counters.get();
	spec.overflow_width = 8;
	REQUIRE(profil_self_start(&spec, nullptr) == 0);
	while (static_cast<int64_t>(thread_ns()) < begin + 500 * static_cast<int64_t>(ms))
		if (mprotect(counters.get(), 4096, PROT_READ | PROT_WRITE))
			break;

	uint64_t count;
	const profil_status status =
		steady_status([&] { return *static_cast<volatile uint64_t *>(counters.get()); }, count);

	REQUIRE(profil_self_stop(nullptr) == 0);
	CHECK(status.ticks == accounted(status));
	CHECK(status.kernel > 0);
	CHECK(status.counted == count);
	CHECK(status.kernel + status.counted + status.lost_late == status.ticks);
}

TEST_CASE_METHOD(AtRest, "a region and an overflow counter count every tick", "[lib][generic]")
{
	const Loop loop;
	const OffAtEnd off;
	const Counters counters = make_counters();
	auto *overflow = reinterpret_cast<volatile uint32_t *>(static_cast<char *>(counters.get()) + 1024);
	const profil_region region = region_around(loop, counters.get(), 4);
	profil_spec spec = spec_of(&region, 1);

	spec.overflow = const_cast<uint32_t *>(overflow);
	spec.overflow_width = 4;
	REQUIRE(profil_self_start(&spec, nullptr) == 0);
	loop.spin_until([&] { return profil_counter_read(&region, 2) >= 5; });
	while (*overflow < 5)
		static_cast<int64_t>(thread_ns());

	uint64_t count;
	const profil_status status =
		steady_status([&] { return profil_counter_read(&region, 2) + *overflow; }, count);

	REQUIRE(profil_self_stop(nullptr) == 0);
	CHECK(status.outside == 0);
	CHECK(status.counted == count);
}

TEST_CASE_METHOD(AtRest, "a spec can make counters stay at their limit", "[lib][generic]")
{
	const Loop loop;
	const OffAtEnd off;
	const Counters counters = make_counters();
	const profil_region region = region_around(loop, counters.get(), 2);
	profil_spec spec = spec_of(&region, 1);

	spec.limit_policy = PROFIL_SATURATE;
	static_cast<uint16_t *>(counters.get())[2] = 65533;
	REQUIRE(profil_self_start(&spec, nullptr) == 0);
	loop.spin_until([] { return self_status().saturated >= 3; });
	CHECK(profil_counter_read(&region, 2) == 65535);
	CHECK(self_status().counted == 2);
}

TEST_CASE_METHOD(AtRest, "a spec can make a profile stop at a limit", "[lib][generic]")
{
	const Loop loop;
	const OffAtEnd off;
	const Counters counters = make_counters();
	const profil_region region = region_around(loop, counters.get(), 4);
	profil_spec spec = spec_of(&region, 1);

	spec.limit_policy = PROFIL_LIMIT_STOP;
	spec.limit = 7;
	REQUIRE(profil_self_start(&spec, nullptr) == 0);
	loop.spin_until([] { return self_status().state != PROFIL_STATE_RUNNING; });
	CHECK(self_status().state == PROFIL_STATE_LIMIT);
	CHECK(profil_counter_read(&region, 2) == 7);
	CHECK(self_status().counted == 7);
}

TEST_CASE_METHOD(AtRest, "a refused spec returns the module's errno", "[lib][generic]")
{
	const Loop loop;
	const Counters counters = make_counters();
	const profil_region good = region_around(loop, counters.get(), 4);
	profil_region pair[2] = {good, good};
	profil_spec spec = spec_of(pair, 2);
	const auto fails = [&](int error) {
		errno = 0;
		CHECK(profil_self_start(&spec, nullptr) == -1);
		CHECK(errno == error);
		CHECK(self_status().state == PROFIL_STATE_NONE);
	};

	fails(EINVAL); /* the regions overlap */
	spec = spec_of(&good, 1);
	spec.period = 1;
	fails(ERANGE);
	spec = spec_of(&good, 1);
	spec.clock = 77;
	fails(EOPNOTSUPP);
	spec = spec_of(&good, 1);
	spec.flags = 1U << 31;
	fails(EINVAL);
	spec = spec_of(&good, 0);
	fails(EINVAL);
	spec = spec_of(reinterpret_cast<profil_region *>(16), 1);
	fails(EFAULT);
}

TEST_CASE_METHOD(AtRest, "a spec whose counters cannot be written is EFAULT, and the profile before goes on",
		 "[lib][generic]")
{
	const Loop loop;
	const Counters counters = make_counters();
	const Memory read_only(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	const profil_region good = region_around(loop, counters.get(), 4);
	const auto is_refused = [&](const profil_spec &spec) {
		const auto before = profil_counter_read(&good, 2);

		errno = 0;
		CHECK(profil_self_start(&spec, nullptr) == -1);
		CHECK(errno == EFAULT);
		loop.spin_until([&] { return profil_counter_read(&good, 2) > before; });
	};

	profil_spec spec = spec_of(&good, 1);
	REQUIRE(profil_self_start(&spec, nullptr) == 0);
	for (void *bad : {read_only.at(), reinterpret_cast<void *>(4096)}) {
		CAPTURE(bad);
		/* The first of two regions is good. */
		profil_region regions[] = {good, region_around(loop, bad, 4)};
		regions[1].low = regions[1].offset = good.high;
		regions[1].high = good.high + 64;
		is_refused(spec_of(regions, 2));

		spec = spec_of(&good, 1);
		spec.overflow = bad;
		spec.overflow_width = 4;
		is_refused(spec);

		spec = spec_of(nullptr, 0);
		spec.samples = bad;
		spec.nr_samples = 16;
		spec.sample_width = 8;
		is_refused(spec);
	}
	/* A region without counters needs no memory. */
	profil_region none = region_around(loop, reinterpret_cast<void *>(4097), 4);
	none.bytes = 0;
	spec = spec_of(&none, 1);
	CHECK(profil_self_start(&spec, nullptr) == 0);
	profil_self_stop(nullptr);
}
