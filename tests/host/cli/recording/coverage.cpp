// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/recording/coverage.cpp  From mappings to regions and counters, and back to samples.
 */
#include "cli/recording/coverage.h"
#include "tests/host/cli/mappings.h"
#include "tests/support/catch.h"

#include <algorithm>
#include <unistd.h>

using namespace cli;
using cli_test::memory;

namespace {

constexpr uint64_t mebi = 1 << 20;
constexpr Room plenty = {1024 * mebi, 0, UINT32_MAX};

/** Text of a file that does not exist: its addresses are its offsets. */
Mapping text(uint64_t start, uint64_t size, uint64_t inode, uint64_t offset = 0)
{
	Mapping mapping;

	mapping.start = start;
	mapping.end = start + size;
	mapping.offset = offset;
	mapping.device = 1;
	mapping.inode = inode;
	mapping.name = "/nowhere/" + std::to_string(inode);
	return mapping;
}

/** One process, and the state that it shares with others. */
struct Bench {
	void cover(const std::vector<Mapping> &mappings, Room room = plenty)
	{
		coverage.update(getpid(), mappings, objects, pool, room);
	}

	ObjectTable objects;
	CounterPool pool;
	Coverage coverage;
};

/** Counts a PC as the module does, by the arithmetic of its interface. */
bool count(const std::vector<profil_region> &regions, uint64_t pc)
{
	for (const profil_region &region : regions) {
		const int64_t index = profil_counter_index(&region, pc);

		if (index < 0)
			continue;
		reinterpret_cast<uint32_t *>(region.buffer)[index]++;
		return true;
	}
	return false;
}

uint64_t samples_at(const Tally &tally, uint64_t address, unsigned shift = 0)
{
	uint64_t sum = 0;

	for (const auto &[object, buckets] : tally.objects()) {
		const auto place = buckets.find({address, shift});

		sum += place == buckets.end() ? 0 : place->second;
	}
	return sum;
}

} // namespace

TEST_CASE("the granularity is the finest that fits the budget", "[cli]")
{
	CHECK(choose_shift(1000, 4000) == 0);
	CHECK(choose_shift(1000, 3999) == 1);
	CHECK(choose_shift(100 * mebi, 64 * mebi) == 3);
	CHECK(choose_shift(1, 4) == 0);
	CHECK(choose_shift(UINT64_MAX / 2, 4) == shift_max);
	for (uint64_t size = 1; size < 64 * mebi; size = size * 3 + 1) {
		const unsigned shift = choose_shift(size, mebi);

		CHECK(((size + (1U << shift) - 1) >> shift) * counter_bytes <= mebi);
	}
}

TEST_CASE("every PC of every mapping has its counter, at every granularity", "[cli]")
{
	for (const uint64_t budget : {uint64_t{1} << 30, 64 * mebi, mebi, uint64_t{8192}}) {
		const std::vector<Mapping> mappings = {text(0x400000, 0x5000, 1, 0x1000),
						       text(0x10000000, mebi, 2),
						       memory(0x7f0000000000, 0x3000)};
		Bench bench;

		bench.cover(mappings, {budget, 0, UINT32_MAX});
		const std::vector<profil_region> regions = bench.coverage.regions();

		REQUIRE(regions.size() == 3);
		for (size_t i = 0; i < regions.size(); i++) {
			CHECK(regions[i].low == mappings[i].start);
			CHECK(regions[i].high == mappings[i].end);
			CHECK(regions[i].width == counter_bytes);
			for (uint64_t pc = regions[i].low; pc < regions[i].high; pc += 1 + pc % 97)
				REQUIRE(profil_counter_index(&regions[i], pc) >= 0);
			REQUIRE(profil_counter_index(&regions[i], regions[i].high - 1) >= 0);
			REQUIRE(profil_counter_index(&regions[i], regions[i].high) < 0);
		}
	}
}

TEST_CASE("counters are drained before they can wrap, and at least once an hour", "[cli]")
{
	using std::chrono::hours;
	using std::chrono::nanoseconds;

	/* The time that 2^31 ticks of 20 us need on 64 CPUs. */
	CHECK(drain_interval(20'000, 64) == nanoseconds(671'088'640'000));
	CHECK(drain_interval(1'003'009, 2) == hours(1));
	CHECK(drain_interval(3'600'000'000'000, 1) == hours(1));
	CHECK(drain_interval(1, 0) == nanoseconds(uint64_t{1} << 31));
}

TEST_CASE("a drain takes each counter once, wherever it is among its neighbours", "[cli]")
{
	const auto object = std::make_shared<Object>();
	CounterArray array(object, 0x1000, 100, 0);
	const profil_region region = array.region(0x1000, 0x1064, 0x1000);
	auto *const counters = reinterpret_cast<uint32_t *>(region.buffer);
	Tally tally;

	for (uint64_t i = 0; i < 100; i++) {
		counters[i] = static_cast<uint32_t>(i + 1);
		array.drain(tally);
		CHECK(tally.objects().at(object).at({0x1000 + i, 0, 0}) == i + 1);
		CHECK(counters[i] == 0);
	}
	CHECK(tally.total() == 5050);
}

TEST_CASE("counters that the kernel does not have can be dropped", "[cli]")
{
	Bench bench;

	bench.cover({text(0x10000, 0x1000, 1), text(0x20000, 0x1000, 2)});
	const Coverage in_kernel = bench.coverage;

	/* Another text replaces the second, and a third is new. */
	bench.cover({text(0x10000, 0x1000, 1), text(0x20000, 0x1000, 3), text(0x30000, 0x1000, 4)});
	bench.coverage.drop_counters_beyond(in_kernel);
	const std::vector<profil_region> regions = bench.coverage.regions();

	REQUIRE(regions.size() == 1);
	CHECK(regions[0].low == 0x10000);
	CHECK(bench.coverage.find(0x20000)->object->name == "/nowhere/3");
	/* Counters that the kernel may still use are not freed, and their counts are not lost. */
	Tally tally;

	REQUIRE(count(in_kernel.regions(), 0x20010));
	bench.pool.drain(tally);
	CHECK(samples_at(tally, 0x10) == 1);
	REQUIRE(count(in_kernel.regions(), 0x20010));
	bench.pool.drain(tally);
	CHECK(samples_at(tally, 0x10) == 2);
	CHECK(bench.pool.bytes() >= 2 * 0x1000 * counter_bytes);
}

TEST_CASE("regions are ascending and do not overlap", "[cli]")
{
	Bench bench;
	std::vector<Mapping> mappings;

	for (uint64_t i = 0; i < 50; i++)
		mappings.push_back(text(0x1000000 + i * 0x10000, 0x1000 * (1 + i % 16), 1 + i % 7, i << 16));
	bench.cover(mappings);
	const std::vector<profil_region> regions = bench.coverage.regions();

	REQUIRE(regions.size() == mappings.size());
	for (size_t i = 1; i < regions.size(); i++)
		CHECK(regions[i - 1].high <= regions[i].low);
}

TEST_CASE("counters come back as samples of their link-time addresses", "[cli]")
{
	Bench bench;
	Tally tally;

	bench.cover({text(0x555500000000, 0x2000, 1, 0x1000)});
	CHECK(count(bench.coverage.regions(), 0x555500000123));
	CHECK(count(bench.coverage.regions(), 0x555500000123));
	CHECK(count(bench.coverage.regions(), 0x555500001fff));
	CHECK_FALSE(count(bench.coverage.regions(), 0x555500002000));
	bench.pool.drain(tally);
	CHECK(tally.total() == 3);
	CHECK(samples_at(tally, 0x1123) == 2);
	CHECK(samples_at(tally, 0x2fff) == 1);
	bench.pool.drain(tally);
	CHECK(tally.total() == 3);
}

TEST_CASE("a coarse counter stands for the address where its bucket begins", "[cli]")
{
	Bench bench;
	Tally tally;

	bench.cover({text(0x400000, 0x10000, 1)}, {0x10000, 0, UINT32_MAX});
	CHECK(bench.pool.granularity() == "a counter for every 8 bytes of text");
	for (const uint64_t pc : {0x400100, 0x400103, 0x400107, 0x400108})
		CHECK(count(bench.coverage.regions(), pc));
	bench.pool.drain(tally);
	CHECK(samples_at(tally, 0x100, 3) == 3);
	CHECK(samples_at(tally, 0x108, 3) == 1);
}

TEST_CASE("processes that map the same text at different places share its counters", "[cli]")
{
	Bench bench;
	Coverage other;
	Tally tally;

	bench.cover({text(0x10000000, mebi, 7)});
	const uint64_t bytes = bench.pool.bytes();

	other.update(getpid(), std::vector{text(0x7f1234500000, mebi, 7)}, bench.objects, bench.pool, plenty);
	CHECK(bench.pool.bytes() == bytes);
	CHECK(count(bench.coverage.regions(), 0x10000042));
	CHECK(count(other.regions(), 0x7f1234500042));
	bench.pool.drain(tally);
	CHECK(samples_at(tally, 0x42) == 2);
}

TEST_CASE("when processes are told apart, each has counters of its own", "[cli]")
{
	Bench bench;
	Coverage other;
	Tally tally;
	Room own = plenty;

	own.owner = 2;
	bench.cover({text(0x10000000, mebi, 7)});
	other.update(getpid(), std::vector{text(0x7f1234500000, mebi, 7)}, bench.objects, bench.pool, own);
	CHECK(bench.pool.bytes() == 2 * mebi * counter_bytes);
	CHECK(count(bench.coverage.regions(), 0x10000042));
	CHECK(count(other.regions(), 0x7f1234500042));
	bench.pool.drain(tally);
	REQUIRE(tally.objects().size() == 1);
	CHECK(tally.objects().begin()->second == Tally::Buckets{{{0x42, 0, 0}, 1}, {{0x42, 0, 2}, 1}});
}

TEST_CASE("a part of a text counts in the counters of the whole", "[cli]")
{
	Bench bench;
	Coverage other;
	Tally tally;

	bench.cover({text(0x10000000, 0x10000, 7)});
	other.update(getpid(), std::vector{text(0x20000000, 0x1000, 7, 0x3000)}, bench.objects, bench.pool,
		     plenty);
	CHECK(bench.pool.bytes() == 0x10000 * counter_bytes);
	CHECK(count(other.regions(), 0x20000010));
	bench.pool.drain(tally);
	CHECK(samples_at(tally, 0x3010) == 1);
}

TEST_CASE("text that stays mapped keeps its counters when more is mapped", "[cli]")
{
	Bench bench;
	Tally tally;

	bench.cover({text(0x10000000, 0x10000, 1)});
	const profil_region before = bench.coverage.regions().front();

	CHECK(count({before}, 0x10000004));
	bench.cover(
		{text(0x8000000, 0x1000, 2), text(0x10000000, 0x10000, 1), memory(0x7f0000000000, 0x1000)});
	const std::vector<profil_region> after = bench.coverage.regions();

	REQUIRE(after.size() == 3);
	CHECK(after[1].buffer == before.buffer);
	CHECK(after[1].low == before.low);
	CHECK(count(after, 0x10000004));
	bench.pool.drain(tally);
	CHECK(samples_at(tally, 0x4) == 2);
}

TEST_CASE("memory that grows gets counters for the new part", "[cli]")
{
	Bench bench;
	Tally tally;

	bench.cover({memory(0x7f0000000000, 0x2000)});
	CHECK(count(bench.coverage.regions(), 0x7f0000000010));
	bench.cover({memory(0x7effffff0000, 0x30000)});
	const std::vector<profil_region> regions = bench.coverage.regions();

	REQUIRE(regions.size() == 3);
	CHECK(regions[0].low == 0x7effffff0000);
	CHECK(regions[2].high == 0x7f0000020000);
	for (const uint64_t pc : {0x7effffff0000, 0x7f0000000010, 0x7f0000002000, 0x7f000001ffff})
		CHECK(count(regions, pc));
	bench.pool.drain(tally);
	CHECK(samples_at(tally, 0x7f0000000010) == 2);
	CHECK(tally.total() == 5);
}

TEST_CASE("another object at the same place is counted separately", "[cli]")
{
	Bench bench;
	Tally tally;

	bench.cover({text(0x10000000, 0x1000, 1)});
	CHECK(count(bench.coverage.regions(), 0x10000010));
	bench.cover({text(0x10000000, 0x1000, 2)});
	CHECK(count(bench.coverage.regions(), 0x10000010));
	bench.pool.drain(tally);
	CHECK(tally.objects().size() == 2);
	CHECK(tally.total() == 2);
}

TEST_CASE("the same object at another offset of its file is counted separately", "[cli]")
{
	Bench bench;
	Tally tally;

	bench.cover({text(0x10000000, 0x1000, 1)});
	CHECK(count(bench.coverage.regions(), 0x10000010));
	bench.cover({text(0x10000000, 0x1000, 1, 0x5000)});
	CHECK(count(bench.coverage.regions(), 0x10000010));
	bench.pool.drain(tally);
	REQUIRE(tally.objects().size() == 1);
	CHECK(tally.objects().begin()->second == Tally::Buckets{{{0x10, 0, 0}, 1}, {{0x5010, 0, 0}, 1}});
}

TEST_CASE("text without counters is known at its present offset", "[cli]")
{
	Bench bench;

	for (const uint64_t offset : {0x0, 0x5000, 0x1000}) {
		bench.cover({text(0x10000000, 0x1000, 1, offset)}, {0, 0, 0});
		REQUIRE(bench.coverage.find(0x10000010) != nullptr);
		CHECK(bench.coverage.find(0x10000010)->low == 0x10000000);
		CHECK(bench.coverage.find(0x10000010)->link == offset);
	}
}

TEST_CASE("a part of an object that moves within its mapping is another place", "[cli]")
{
	Bench bench;
	Tally tally;

	/* The upper half is replaced by what is in the lower one. */
	bench.cover({text(0x10000000, 0x2000, 1)});
	CHECK(count(bench.coverage.regions(), 0x10001010));
	bench.cover({text(0x10000000, 0x1000, 1), text(0x10001000, 0x1000, 1)});
	CHECK(bench.coverage.find(0x10000010)->link == 0);
	CHECK(bench.coverage.find(0x10001010)->link == 0);
	CHECK(count(bench.coverage.regions(), 0x10001010));
	bench.pool.drain(tally);
	REQUIRE(tally.objects().size() == 1);
	CHECK(tally.objects().begin()->second == Tally::Buckets{{{0x10, 0, 0}, 1}, {{0x1010, 0, 0}, 1}});
}

TEST_CASE("memory reserved for a JIT does not coarsen programs", "[cli]")
{
	Bench bench;

	bench.cover({text(0x400000, mebi, 1), memory(0x7f0000000000, 1024 * mebi)},
		    {32 * mebi, 0, UINT32_MAX});
	const std::vector<profil_region> regions = bench.coverage.regions();

	REQUIRE(regions.size() == 2);
	CHECK(regions[0].bytes == mebi * counter_bytes);
	CHECK(regions[1].bytes <= 8 * mebi);
	CHECK(bench.pool.granularity() == "a counter for every 1 to 512 bytes of text");
}

TEST_CASE("a small program keeps fine counters beside large libraries", "[cli]")
{
	Bench bench;

	bench.cover({text(0x400000, 0x2000, 1), text(0x7f0000000000, mebi, 2), text(0x7f0010000000, mebi, 3)},
		    {mebi, 0, UINT32_MAX});
	const std::vector<profil_region> regions = bench.coverage.regions();

	REQUIRE(regions.size() == 3);
	CHECK(regions[0].bytes == 0x2000 * counter_bytes);
	CHECK(regions[1].bytes == mebi / 16 * counter_bytes);
	CHECK(bench.coverage.bytes() <= mebi);
	CHECK(bench.pool.granularity() == "a counter for every 1 to 16 bytes of text");
}

TEST_CASE("young programs are known, and get their counters later", "[cli]")
{
	Bench bench;

	bench.cover({text(0x400000, mebi, 1)}, {0, 0, UINT32_MAX});
	CHECK(bench.coverage.bytes() == 0);
	CHECK(bench.pool.granularity() == "samples by address");
	bench.cover({text(0x400000, mebi, 1)});
	CHECK(bench.coverage.bytes() == mebi * counter_bytes);
}

TEST_CASE("text without counters is still known", "[cli]")
{
	Bench bench;

	bench.cover({text(0x400000, mebi, 1)}, {0, 0, 0});
	CHECK(bench.coverage.bytes() == 0);
	REQUIRE(bench.coverage.find(0x400010) != nullptr);
	CHECK(bench.coverage.find(0x400010)->object->name == "/nowhere/1");
	CHECK(bench.coverage.find(0x3fffff) == nullptr);
	CHECK(bench.coverage.find(0x500000) == nullptr);
	/*
	 * One region that covers no PC: without any region, the profile would stop when its array
	 * is full.
	 */
	REQUIRE(bench.coverage.regions().size() == 1);
	CHECK_FALSE(count(bench.coverage.regions(), 0));
	CHECK_FALSE(count(bench.coverage.regions(), 0x400010));
}

TEST_CASE("beyond the module's limit of regions, the smallest text has no counters", "[cli]")
{
	Bench bench;

	bench.cover({text(0x400000, 0x1000, 1), text(0x500000, 0x9000, 2), text(0x600000, 0x5000, 3)},
		    {mebi, 0, 2});
	const std::vector<profil_region> regions = bench.coverage.regions();

	REQUIRE(regions.size() == 2);
	CHECK(regions[0].low == 0x500000);
	CHECK(regions[1].low == 0x600000);
	CHECK(bench.coverage.find(0x400000) != nullptr);
}

TEST_CASE("unused counters are freed when they are drained", "[cli]")
{
	Bench bench;
	Tally tally;

	bench.cover({text(0x400000, mebi, 1), text(0x800000, mebi, 2)});
	CHECK(count(bench.coverage.regions(), 0x800004));
	bench.cover({text(0x400000, mebi, 1)});
	bench.pool.drain(tally);
	CHECK(bench.pool.bytes() == mebi * counter_bytes);
	CHECK(tally.total() == 1);
}
