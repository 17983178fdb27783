// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/uapi/errors.cpp  A table of every mistake in a description, and its errno, for
 * PROFIL_START by ioctl and io_uring.
 */
#include "tests/guest/support/burner.h"
#include "tests/guest/support/device.h"
#include "tests/guest/support/ways.h"
#include "tests/support/catch.h"

#include <cstring>
#include <linux/profil_record.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace guest;

namespace {

constexpr uint64_t kernel_address = 0xffff888000000000;
constexpr uint64_t hour = 3'600'000'000'000;
constexpr size_t page = 4096;

/** A valid description, which a row of the table spoils. */
struct Description {
	Memory counters{4 * page};
	Memory hole{3 * page};	/* its middle page is unmapped */
	Memory array{2 * page}; /* the regions, which end at the end of the second page */
	profil_region *region;
	profil_start how;

	Description()
	{
		munmap(hole.at(page), page);
		region = array.at<profil_region>(2 * page - 3 * sizeof(profil_region));
		for (int i = 0; i < 3; i++)
			region[i] = each_address(0x1000 * (i + 1), 0x1000 * (i + 1) + 64,
						 counters.at(page * i), 4);
		how = describe(std::span(region, 3));
	}

	/** The period is long enough that the array is not full before the test has looked. */
	void only_samples() { how = describe_samples(counters.at(page), 16, 8, hour); }
	/** Put the regions into elements larger than the module knows. */
	void wider_regions(uint32_t size, uint8_t last)
	{
		std::vector<uint8_t> wide(3 * size);

		for (int i = 0; i < 3; i++)
			memcpy(&wide[i * size], &region[i], sizeof(profil_region));
		wide.back() = last;
		need_that(wide.size() <= array.bytes(), "they fit");
		memcpy(array.at(), wide.data(), wide.size());
		how.regions = array.address();
		how.region_size = size;
	}
};

struct Row {
	const char *what;
	int expected;
	void (*spoil)(Description &d);
};

const Row policy_rows[] = {
	{"nothing wrong", 0, [](Description &) {}},
	{"unknown flag", EINVAL, [](Description &d) { d.how.flags = 1 << 15; }},
	{"a flag of recordings of threads", EINVAL, [](Description &d) { d.how.flags = PROFIL_THREAD; }},
	{"a flag of recordings of events", EINVAL, [](Description &d) { d.how.flags = PROFIL_EVENT; }},
	{"unknown last flag", EINVAL, [](Description &d) { d.how.flags = 1U << 31; }},
	{"every known flag", 0, [](Description &d) { d.how.flags = 7 | PROFIL_OWED_TICKS; }},
	{"unknown clock", EOPNOTSUPP, [](Description &d) { d.how.clock = 100; }},
	{"unknown limit policy", EINVAL, [](Description &d) { d.how.limit_policy = 3; }},
	{"a limit for counters that wrap", EINVAL, [](Description &d) { d.how.limit = 1; }},
	{"no period", ERANGE, [](Description &d) { d.how.period = 0; }},
	{"a period below the least", ERANGE, [](Description &d) { d.how.period = 19'999; }},
	{"the least period", 0, [](Description &d) { d.how.period = 20'000; }},
	{"a period of an hour", 0, [](Description &d) { d.how.period = hour; }},
	{"a period above an hour", ERANGE, [](Description &d) { d.how.period = hour + 1; }},
	{"the greatest period", ERANGE, [](Description &d) { d.how.period = UINT64_MAX; }},
};

const Row region_rows[] = {
	{"width 0", EINVAL, [](Description &d) { d.region[1].width = 0; }},
	{"width 1", EINVAL, [](Description &d) { d.region[1].width = 1; }},
	{"width 3", EINVAL, [](Description &d) { d.region[1].width = 3; }},
	{"width 16", EINVAL, [](Description &d) { d.region[1].width = 16; }},
	{"pre 4", EINVAL, [](Description &d) { d.region[1].pre = 4; }},
	{"post 4", EINVAL, [](Description &d) { d.region[1].post = 4; }},
	{"bias 2", EINVAL, [](Description &d) { d.region[1].bias = 2; }},
	{"an offset above the low end", EINVAL, [](Description &d) { d.region[1].offset++; }},
	{"an offset of 0", 0, [](Description &d) { d.region[1].offset = 0; }},
	{"an empty range", EINVAL, [](Description &d) { d.region[1].high = d.region[1].low; }},
	{"a range back to front", EINVAL, [](Description &d) { d.region[1].high = d.region[1].low - 1; }},
	{"bytes that are no whole counters", EINVAL, [](Description &d) { d.region[1].bytes = 6; }},
	{"bytes beyond all memory", EINVAL, [](Description &d) { d.region[1].bytes = UINT64_MAX - 3; }},
	{"an unaligned buffer", EINVAL, [](Description &d) { d.region[1].buffer += 2; }},
	{"regions that overlap", EINVAL,
	 [](Description &d) { d.region[1].low = d.region[0].high - 1, d.region[1].offset = 0; }},
	{"regions that touch", 0,
	 [](Description &d) { d.region[1].low = d.region[0].high, d.region[1].offset = 0; }},
	{"regions out of order", EINVAL, [](Description &d) { std::swap(d.region[0], d.region[1]); }},
	{"the same region twice", EINVAL, [](Description &d) { d.region[1] = d.region[0]; }},
	{"a swallowing region with a wild buffer", 0,
	 [](Description &d) { d.region[1].bytes = 0, d.region[1].buffer = 1; }},
	{"only regions without bytes", 0,
	 [](Description &d) {
		 for (int i = 0; i < 3; i++)
			 d.region[i].bytes = 0;
	 }},
	{"a region up to the last address", 0, [](Description &d) { d.region[2].high = UINT64_MAX; }},
};

const Row array_rows[] = {
	{"no regions at all", EINVAL,
	 [](Description &d) { d.how.nr_regions = 0, d.how.regions = 0, d.how.region_size = 0; }},
	{"no regions, but an address", EINVAL,
	 [](Description &d) { d.only_samples(), d.how.regions = 4096; }},
	{"no regions, but a size", EINVAL, [](Description &d) { d.only_samples(), d.how.region_size = 48; }},
	{"more regions than the maximum", E2BIG, [](Description &d) { d.how.nr_regions = 32769; }},
	{"the largest number of regions", E2BIG, [](Description &d) { d.how.nr_regions = UINT32_MAX; }},
	{"regions of no size", EINVAL, [](Description &d) { d.how.region_size = 0; }},
	{"regions that are too small", EINVAL, [](Description &d) { d.how.region_size = 47; }},
	{"larger regions", 0, [](Description &d) { d.wider_regions(56, 0); }},
	{"larger regions of another version", E2BIG, [](Description &d) { d.wider_regions(56, 1); }},
	{"huge regions", E2BIG, [](Description &d) { d.how.region_size = UINT32_MAX; }},
	{"regions at NULL", EFAULT, [](Description &d) { d.how.regions = 0; }},
	{"regions in the kernel", EFAULT, [](Description &d) { d.how.regions = kernel_address; }},
	{"regions that are not all mapped", EFAULT, [](Description &d) { munmap(d.array.at(page), page); }},
};

const Row place_rows[] = {
	{"overflow counter and samples", EINVAL,
	 [](Description &d) {
		 d.only_samples(), d.how.overflow = d.counters.address(), d.how.overflow_width = 4;
	 }},
	{"an overflow counter of width 0", EINVAL,
	 [](Description &d) { d.how.overflow = d.counters.address(); }},
	{"an overflow counter of width 3", EINVAL,
	 [](Description &d) { d.how.overflow = d.counters.address(), d.how.overflow_width = 3; }},
	{"an unaligned overflow counter", EINVAL,
	 [](Description &d) { d.how.overflow = d.counters.address() + 4, d.how.overflow_width = 8; }},
	{"a width without overflow counter", EINVAL, [](Description &d) { d.how.overflow_width = 4; }},
	{"an overflow counter in the kernel", EFAULT,
	 [](Description &d) { d.how.overflow = kernel_address, d.how.overflow_width = 4; }},
	{"samples only", 0, [](Description &d) { d.only_samples(); }},
	{"samples of width 0", EINVAL, [](Description &d) { d.only_samples(), d.how.sample_width = 0; }},
	{"samples of width 2", EINVAL, [](Description &d) { d.only_samples(), d.how.sample_width = 2; }},
	{"no samples", EINVAL, [](Description &d) { d.only_samples(), d.how.nr_samples = 0; }},
	{"more samples than memory", EINVAL,
	 [](Description &d) { d.only_samples(), d.how.nr_samples = UINT64_MAX / 8; }},
	{"unaligned samples", EINVAL, [](Description &d) { d.only_samples(), d.how.samples += 4; }},
	{"a width without samples", EINVAL, [](Description &d) { d.how.sample_width = 8; }},
	{"a number without samples", EINVAL, [](Description &d) { d.how.nr_samples = 1; }},
	{"a buffer in the kernel", EFAULT, [](Description &d) { d.region[1].buffer = kernel_address; }},
	{"a buffer round the end of memory", EFAULT, [](Description &d) { d.region[1].buffer = 0UL - 128; }},
};

/** Check that an error leaves everything unchanged, including the caller's structure. */
void check_row(const Device &device, const Way &way, const Row &row)
{
	Description d;
	const auto pages = module_stat("pinned_pages"), locked = locked_bytes();

	row.spoil(d);
	const auto before = d.how;
	CAPTURE(row.what);
	const int error = way(device, PROFIL_START, &d.how, sizeof(d.how));
	CHECK(error == row.expected);
	if (error) {
		CHECK(memcmp(&before, &d.how, sizeof(before)) == 0);
	} else {
		CHECK(device.status().state == PROFIL_STATE_RUNNING);
		device.stop();
	}
	CHECK(module_stat("pinned_pages") == pages);
	CHECK(locked_bytes() == locked);
}

void check_start(const Way &way)
{
	const Device device;

	for (const Row &row : policy_rows)
		check_row(device, way, row);
	for (const Row &row : region_rows)
		check_row(device, way, row);
	for (const Row &row : array_rows)
		check_row(device, way, row);
	for (const Row &row : place_rows)
		check_row(device, way, row);
}

} // namespace

TEST_CASE_METHOD(AtRest, "PROFIL_START refuses each mistake with the right errno by ioctl", "[uapi][errno]")
{
	check_start(by_ioctl());
}

TEST_CASE_METHOD(AtRest, "PROFIL_START refuses each mistake with the right errno by io_uring",
		 "[uapi][errno][uring]")
{
	check_start(by_ring());
}

TEST_CASE_METHOD(AtRest, "a start that fails leaves the running profile untouched", "[uapi][errno]")
{
	const Device device;
	const Burner burner;
	const Memory counters(page);
	const uintptr_t text = burner.start();

	device.start(describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8)));
	const auto early = burn_ticks(device, burner, text, 3);
	const auto pages = module_stat("pinned_pages"), locked = locked_bytes();
	for (const Row &row : place_rows) {
		Description d;

		row.spoil(d);
		if (!row.expected)
			continue;
		CAPTURE(row.what);
		CHECK(device.call(PROFIL_START, &d.how) == row.expected);
		CHECK(device.status().state == PROFIL_STATE_RUNNING);
	}
	CHECK(module_stat("pinned_pages") == pages);
	CHECK(locked_bytes() == locked);
	const auto late = burn_ticks(device, burner, text, 3);
	CHECK(counter<uint64_t>(counters) >= early + late);
	CHECK(counter<uint64_t>(counters) == device.status().counted);
	device.stop();
}
