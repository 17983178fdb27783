// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/recording/count_table.cpp  Tables of counts: when they fill up, and the
 * sizes of the tables that replace them. */
#include "cli/recording/count_table.h"
#include "tests/support/catch.h"

#include <map>

using namespace cli;

namespace {

profil_count *elements(const CountTable &table)
{
	return reinterpret_cast<profil_count *>(table.address());
}

} // namespace

TEST_CASE("each drain of a table visits what was counted since the last", "[cli][count-table]")
{
	CountTable table(least_counts);
	std::map<uint64_t, uint64_t> sums;
	const auto add = [&](uint64_t key, uint64_t samples) { sums[key] += samples; };

	REQUIRE(table.ok());
	elements(table)[3] = {77, 5};
	elements(table)[255] = {78, 1};
	table.drain(add);
	elements(table)[3].count += 2;
	table.drain(add);
	table.drain(add);
	CHECK(sums == std::map<uint64_t, uint64_t>{{77, 7}, {78, 1}});
}

TEST_CASE("a table fills up before half of it is used, wherever one looks", "[cli][count-table]")
{
	CountTable table(1 << 14);

	for (uint64_t i = 0; i < table.counts(); i += 4)
		elements(table)[i].key = 1;
	for (int looks = 0; looks < 20; looks++)
		CHECK_FALSE(table.fills_up());
	for (uint64_t i = 0; i < table.counts(); i += 2)
		elements(table)[i].key = 1;
	for (int looks = 0; looks < 20; looks++)
		CHECK(table.fills_up());
}

TEST_CASE("a table fills up when three eighths of what is looked at are used", "[cli][count-table]")
{
	constexpr uint64_t limit = least_counts / 8 * 3;
	CountTable table(least_counts); /* so small that each look covers all of it */

	REQUIRE(table.ok());
	for (uint64_t i = 0; i + 1 < limit; i++)
		elements(table)[i].key = 1;
	CHECK_FALSE(table.fills_up());
	elements(table)[limit - 1].key = 1;
	CHECK(table.fills_up());
}

TEST_CASE("two tables never need more memory than is permitted", "[cli][count-table]")
{
	constexpr uint64_t element = sizeof(profil_count);

	for (uint64_t memory = 2 * least_counts * element; memory <= uint64_t{1} << 36;
	     memory += memory / 3) {
		for (const bool many_numbers : {false, true}) {
			uint64_t counts = first_counts(memory, 200, many_numbers);

			CAPTURE(memory, many_numbers, counts);
			CHECK(2 * counts * element <= memory);
			for (int changes = 0; changes < 40; changes++) {
				const uint64_t next = next_counts(memory, counts);

				REQUIRE(next >= counts);
				REQUIRE((counts + next) * element <= memory);
				REQUIRE(next <= most_counts);
				counts = next;
			}
			CHECK((4 * counts * element > memory || counts == most_counts));
		}
	}
}

TEST_CASE("a first table is as large as the ticks and the numbers need it", "[cli][count-table]")
{
	constexpr uint64_t memory = uint64_t{1} << 30;

	CHECK(first_counts(memory, 0, false) == 1 << 13);
	CHECK(first_counts(memory, 256, false) == 1 << 13);
	CHECK(first_counts(memory, 257, false) == 1 << 14);
	CHECK(first_counts(memory, UINT64_MAX, false) == 1 << 19);
	CHECK(first_counts(memory, 0, true) == 1 << 19);
}

TEST_CASE("with memory for one table only, none follows", "[cli][count-table]")
{
	CHECK(first_counts(1, 200, true) == least_counts);
	CHECK(next_counts(1, least_counts) == 0);
}
