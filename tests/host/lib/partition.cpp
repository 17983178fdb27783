// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/lib/partition.cpp  Overlapping regions become disjoint ones: which region
 * counts which PC.
 */
#include "libprofil/flavours/partition.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <ostream>
#include <random>
#include <vector>

using namespace libprofil;

namespace {

constexpr uint64_t no_part = 0;

/** A range of PCs, and the region that counts them, numbered from 1 in the order given. */
struct Part {
	uint64_t low, high;
	uint64_t region;

	bool operator==(const Part &) const = default;
};

std::ostream &operator<<(std::ostream &out, const Part &part)
{
	return out << "[" << part.low << ", " << part.high << ") of " << part.region;
}

/** A region with a 16-bit counter for every two bytes from its offset on, for @p counted bytes of text. */
profil_region region(uint64_t low, uint64_t high, uint64_t offset, uint64_t counted)
{
	profil_region region = {};

	region.low = low;
	region.high = high;
	region.offset = offset;
	region.bytes = counted;
	region.scale = 0x10000;
	region.width = 2;
	region.post = 1;
	return region;
}

/** A region with counters from its beginning to its end. */
profil_region region(uint64_t low, uint64_t high)
{
	return region(low, high, low, (high - low + 1) / 2 * 2);
}

/** A region without counters. */
profil_region without_counters(uint64_t low, uint64_t high)
{
	return region(low, high, low, 0);
}

/** True if a part counts PCs in the same counters, and in the same way, as the given region. */
bool same_counters(profil_region part, const profil_region &given)
{
	part.low = given.low;
	part.high = given.high;
	return part.offset == given.offset && part.buffer == given.buffer && part.bytes == given.bytes &&
	       part.scale == given.scale && part.width == given.width && part.pre == given.pre &&
	       part.bias == given.bias && part.post == given.post;
}

/** The parts of some regions; each part must have the counters of its region. */
std::vector<Part> parts_of(std::vector<profil_region> given, Winner winner, Extent extent = Extent::clipped)
{
	/* Room for one more, which must not be written. */
	std::vector<profil_region> made(2 * given.size() + 1);
	std::vector<Part> parts;
	size_t nr = 99;

	for (size_t i = 0; i < given.size(); i++)
		given[i].buffer = (i + 1) * 0x1000;
	REQUIRE(partition(given.data(), given.size(), winner, extent, made.data(), nr) == 0);
	REQUIRE(nr <= 2 * given.size());
	CHECK(made.back().width == 0);
	for (size_t i = 0; i < nr; i++) {
		const uint64_t number = made[i].buffer / 0x1000;

		REQUIRE(number >= 1);
		REQUIRE(number <= given.size());
		CHECK(same_counters(made[i], given[number - 1]));
		parts.push_back({made[i].low, made[i].high, number});
	}
	return parts;
}

using Parts = std::vector<Part>;

/** The region that must count a PC, as Winner defines it; no_part if none must. */
uint64_t owner_of(const std::vector<profil_region> &given, Winner winner, uint64_t pc)
{
	uint64_t owner = no_part, offset = 0;

	for (size_t i = given.size(); i-- > 0;) {
		const profil_region &one = given[i];

		if (pc < one.low || pc >= one.high || pc >= one.offset + one.bytes)
			continue;
		if (winner == Winner::largest_offset && owner != no_part && one.offset < offset)
			continue;
		owner = i + 1;
		offset = one.offset;
	}
	return owner;
}

uint64_t part_at(const Parts &parts, uint64_t pc)
{
	uint64_t owner = no_part;

	for (const Part &part : parts)
		if (part.low <= pc && pc < part.high)
			owner = part.region;
	return owner;
}

} // namespace

TEST_CASE("of regions with equal offsets the first one given counts what both cover", "[lib][partition]")
{
	for (const Winner winner : {Winner::largest_offset, Winner::first}) {
		CAPTURE(static_cast<int>(winner));
		CHECK(parts_of({region(100, 200), region(100, 200)}, winner) == Parts{{100, 200, 1}});
		CHECK(parts_of({region(100, 200), region(100, 150), region(100, 300)}, winner) ==
		      Parts{{100, 200, 1}, {200, 300, 3}});
		CHECK(parts_of({region(100, 150), region(100, 300), region(100, 200)}, winner) ==
		      Parts{{100, 150, 1}, {150, 300, 2}});
	}
	/* The same holds for regions that do not begin at their offset. */
	CHECK(parts_of({region(150, 200, 100, 100), region(120, 180, 100, 100)}, Winner::largest_offset) ==
	      Parts{{120, 150, 2}, {150, 200, 1}});
}

TEST_CASE("the region with the largest offset counts, wherever it is in the list", "[lib][partition]")
{
	const profil_region around = region(100, 200), inside = region(140, 160), across = region(180, 250);

	CHECK(parts_of({around, inside, across}, Winner::largest_offset) ==
	      Parts{{100, 140, 1}, {140, 160, 2}, {160, 180, 1}, {180, 250, 3}});
	CHECK(parts_of({across, inside, around}, Winner::largest_offset) ==
	      Parts{{100, 140, 3}, {140, 160, 2}, {160, 180, 3}, {180, 250, 1}});
	/* The offset decides, not where the region begins. */
	CHECK(parts_of({region(130, 200, 110, 90), region(120, 150, 114, 36)}, Winner::largest_offset) ==
	      Parts{{120, 150, 2}, {150, 200, 1}});
}

TEST_CASE("the first region given counts, whatever its offset is", "[lib][partition]")
{
	const profil_region around = region(100, 200), inside = region(140, 160), across = region(180, 250);

	CHECK(parts_of({around, inside, across}, Winner::first) == Parts{{100, 200, 1}, {200, 250, 3}});
	CHECK(parts_of({inside, across, around}, Winner::first) ==
	      Parts{{100, 140, 3}, {140, 160, 1}, {160, 180, 3}, {180, 250, 2}});
}

TEST_CASE("regions that touch or are apart stay as they are, in ascending order", "[lib][partition]")
{
	for (const Winner winner : {Winner::largest_offset, Winner::first}) {
		CAPTURE(static_cast<int>(winner));
		CHECK(parts_of({region(200, 300), region(400, 401), region(100, 200)}, winner) ==
		      Parts{{100, 200, 3}, {200, 300, 1}, {400, 401, 2}});
		CHECK(parts_of({region(7, 8)}, winner) == Parts{{7, 8, 1}});
	}
}

TEST_CASE("no two parts of one region touch, whatever lies beneath it", "[lib][partition]")
{
	CHECK(parts_of({region(110, 120), region(130, 140), region(100, 200, 100, 100), region(150, 160)},
		       Winner::first) ==
	      Parts{{100, 110, 3}, {110, 120, 1}, {120, 130, 3}, {130, 140, 2}, {140, 200, 3}});
	CHECK(parts_of({region(100, 200, 90, 110), region(110, 150, 80, 100), region(120, 130, 70, 100)},
		       Winner::largest_offset) == Parts{{100, 200, 1}});
}

TEST_CASE("nested regions have one part less than twice their number", "[lib][partition]")
{
	CHECK(parts_of({region(100, 200), region(110, 190), region(120, 180)}, Winner::largest_offset) ==
	      Parts{{100, 110, 1}, {110, 120, 2}, {120, 180, 3}, {180, 190, 2}, {190, 200, 1}});
}

TEST_CASE("a clipped region leaves to others what its counters do not cover", "[lib][partition]")
{
	const profil_region short_one = region(100, 200, 100, 20), other = region(90, 150);

	CHECK(parts_of({short_one, other}, Winner::first, Extent::clipped) ==
	      Parts{{90, 100, 2}, {100, 120, 1}, {120, 150, 2}});
	CHECK(parts_of({short_one, other}, Winner::largest_offset, Extent::clipped) ==
	      Parts{{90, 100, 2}, {100, 120, 1}, {120, 150, 2}});
	CHECK(parts_of({short_one, other}, Winner::first, Extent::whole) ==
	      Parts{{90, 100, 2}, {100, 200, 1}});
}

TEST_CASE("a region without counters has no PC, unless it is taken as a whole", "[lib][partition]")
{
	const profil_region none = without_counters(100, 200), other = region(50, 150);

	CHECK(parts_of({none, other}, Winner::first) == Parts{{50, 150, 2}});
	CHECK(parts_of({none, other}, Winner::largest_offset) == Parts{{50, 150, 2}});
	CHECK(parts_of({other, none}, Winner::first, Extent::whole) == Parts{{50, 150, 1}, {150, 200, 2}});
	CHECK(parts_of({none, other}, Winner::first, Extent::whole) == Parts{{50, 100, 2}, {100, 200, 1}});
	CHECK(parts_of({none, none}, Winner::first).empty());
	/* A region whose counters end before it begins has no PC either. */
	CHECK(parts_of({region(150, 200, 100, 50), other}, Winner::largest_offset) == Parts{{50, 150, 2}});
	CHECK(parts_of({}, Winner::first).empty());
	CHECK(parts_of({}, Winner::largest_offset, Extent::whole).empty());
}

TEST_CASE("every PC of random regions is in one part, of the region that wins it", "[lib][partition]")
{
	std::mt19937 random(20261123);
	const auto below = [&](uint64_t limit) { return random() % limit; };

	for (int round = 0; round < 500; round++) {
		const Winner winner = round % 2 ? Winner::first : Winner::largest_offset;
		std::vector<profil_region> given(1 + below(8));

		for (profil_region &one : given) {
			const uint64_t offset = below(40), low = offset + below(20);

			one = region(low, low + 1 + below(40), offset, 2 * below(30));
		}

		const Parts parts = parts_of(given, winner);

		CAPTURE(round, given.size(), parts);
		for (size_t i = 0; i < parts.size(); i++) {
			CHECK(parts[i].low < parts[i].high);
			CHECK((!i || parts[i - 1].high <= parts[i].low));
		}
		for (uint64_t pc = 0; pc < 110; pc++) {
			CAPTURE(pc);
			CHECK(part_at(parts, pc) == owner_of(given, winner, pc));
		}
	}
}

TEST_CASE("more regions than there is memory for are ENOMEM", "[lib][partition]")
{
	const profil_region one = region(100, 200);
	profil_region part = {};
	size_t nr = 99;

	CHECK(partition(&one, size_t{1} << 62, Winner::first, Extent::whole, &part, nr) == ENOMEM);
	CHECK(part.high == 0);
}
