// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/lib/bin.cpp  From a PC to its counter: kmod/memory/bin.h, as the module and libprofil
 * compile it. */
#include "kmod/memory/bin.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <fstream>
#include <profil.h>
#include <random>
#include <sstream>
#include <vector>

namespace {

/* The assumed address of the text; any address that leaves room above will do. */
constexpr uint64_t text = 0x400000;

unsigned log2_of(unsigned width)
{
	return width == 8 ? 3 : width == 4 ? 2 : 1;
}

/** A flavour's arguments as the equivalent region for the module. */
profil_region region_of(const std::string &flavour, unsigned width, uint32_t scale, uint64_t size)
{
	profil_region region = {};

	region.low = text;
	region.high = UINT64_MAX;
	region.offset = text;
	region.bytes = size - size % width;
	region.width = static_cast<__u8>(width);
	region.scale = flavour == "aix" ? scale & 0xffff : scale;
	if (flavour == "linux") {
		region.pre = static_cast<__u8>(log2_of(width));
		return region;
	}
	region.post = static_cast<__u8>(log2_of(width));
	region.bias = width == 2 && (flavour == "tru64" || flavour == "aix");
	if (region.scale == 2 && flavour != "bsd") {
		region.scale = 0; /* everything goes to the first counter */
		region.bias = 0;
	}
	return region;
}

/** The exact index, without truncation. */
unsigned __int128 exact_index(const profil_region &r, uint64_t pc)
{
	const auto product = static_cast<unsigned __int128>((pc - r.offset) >> r.pre) * r.scale;

	return ((product >> 16) + r.bias) >> r.post;
}

/** The counter of a PC by definition, without clipping; -1 outside the buffer. */
int64_t exact_counter(const profil_region &r, uint64_t pc)
{
	if (pc < r.low || pc >= r.high)
		return -1;
	const unsigned __int128 index = exact_index(r, pc);

	return index < r.bytes / r.width ? static_cast<int64_t>(index) : -1;
}

/** Random regions, biased towards the values where arithmetic breaks. */
class Regions {
public:
	explicit Regions(uint64_t seed) : random_(seed) {}

	profil_region next()
	{
		profil_region r = {};

		r.width = static_cast<__u8>(2 << below(3));
		r.pre = static_cast<__u8>(below(PROFIL_BIN_SHIFT_MAX + 1));
		r.post = static_cast<__u8>(below(PROFIL_BIN_SHIFT_MAX + 1));
		r.bias = static_cast<__u8>(below(2));
		r.scale = scale();
		r.bytes = number() % (PROFIL_BIN_BYTES_MAX / r.width + 1) * r.width;
		r.offset = below(UINT64_MAX >> below(64));
		r.low = r.offset + std::min(number(), uint64_t{UINT64_MAX - 1 - r.offset});
		r.high = r.low + 1 + std::min(number(), uint64_t{UINT64_MAX - 1 - r.low});
		return r;
	}

	/** A number of random length. */
	uint64_t number() { return random_() >> below(64); }

private:
	uint64_t below(uint64_t limit) { return random_() % limit; }

	uint32_t scale()
	{
		static constexpr uint32_t special[] = {0,      1,	2,	 3,	  0x7fff,    0x8000,
						       0xffff, 0x10000, 0x10001, 0x20000, 0xffffffff};

		return below(2) ? special[below(std::size(special))] : static_cast<uint32_t>(number());
	}

	std::mt19937_64 random_;
};

std::string words(const profil_region &r)
{
	std::ostringstream out;

	out << std::hex << "low " << r.low << " high " << r.high << " offset " << r.offset << " bytes "
	    << r.bytes << " scale " << r.scale << " width " << +r.width << " pre " << +r.pre << " bias "
	    << +r.bias << " post " << +r.post;
	return out.str();
}

} // namespace

TEST_CASE("every flavour's vectors come out of the one formula", "[bin]")
{
	std::ifstream file("tests/host/data/vectors.tsv");
	std::vector<std::string> header;
	unsigned checked = 0;

	REQUIRE(file);
	for (std::string line; getline(file, line);) {
		if (line[0] == '#')
			continue;
		const std::vector<std::string> cells = support::cells_of(line);

		if (header.empty()) {
			header = cells;
			continue;
		}
		REQUIRE(cells.size() == header.size());

		const profil_region region =
			region_of(cells[0], static_cast<unsigned>(stoul(cells[1])),
				  static_cast<uint32_t>(stoul(cells[2])), stoull(cells[3]));

		for (size_t i = 4; i < cells.size(); i++) {
			if (cells[i] == "off" || cells[i] == "EINVAL")
				continue; /* decided before the module is called */
			const bool below = header[i][0] == '-';
			const uint64_t pc =
				below ? text - stoull(header[i].substr(1)) : text + stoull(header[i]);
			const int64_t expected = cells[i] == "-" ? -1 : stoll(cells[i]);

			checked++;
			if (profil_counter_index(&region, pc) != expected) {
				INFO(line << "\ndistance " << header[i]);
				CHECK(profil_counter_index(&region, pc) == expected);
			}
		}
	}
	CHECK(checked == 12528);
}

TEST_CASE("the golden vectors of the systems' arithmetic hold", "[bin]")
{
	struct Vector {
		const char *flavour;
		unsigned width;
		uint64_t distance;
		uint32_t scale;
		uint64_t size;
		int64_t counter;
	};
	const Vector vectors[] = {
		{"tru64", 2, 1, 0x10000, 0x40000, 1},
		{"irix", 4, 3, 0xffff, 0x40000, 0},
		{"aix", 2, 3, 0xffff, 0x40000, 1},
		{"linux", 2, 3, 0xffff, 0x40000, 0},
		{"solaris", 2, 2, 0x8000, 0x40000, 0},
		{"tru64", 2, 2, 0x8000, 0x40000, 1},
		{"aix", 2, 4, 0x4000, 0x40000, 1},
		{"bsd", 2, 0x10001, 2, 0x40000, 1},
		{"aix", 2, 0x10001, 2, 0x40000, 0},
		{"linux", 2, 0x30000, 2, 0x40000, 3},
		{"bsd", 2, 0x30000, 1, 0x40000, 1},
		{"solaris", 2, 5, 0x20000, 0x40000, 5},
		{"irix", 4, 5, 0x20000, 0x40000, 2},
		{"tru64", 2, 5, 0x20000, 0x40000, 5},
		{"linux", 2, 5, 0x20000, 0x40000, 4},
		{"solaris", 2, 0x100000004, 0x10000, 0x100, -1},
		{"linux", 2, 0x100000004, 0x10000, 0x100, -1},
	};

	for (const Vector &v : vectors) {
		const profil_region region = region_of(v.flavour, v.width, v.scale, v.size);

		INFO(v.flavour << v.width * 8 << " distance " << v.distance << " scale " << v.scale);
		CHECK(profil_counter_index(&region, text + v.distance) == v.counter);
	}
}

TEST_CASE("without a type of 128 bits a product has the same bits", "[bin]")
{
	constexpr uint64_t distances[] = {0,	      1,	  0xffff,     0x10000,
					  UINT32_MAX, 1ULL << 32, 1ULL << 63, UINT64_MAX};
	constexpr uint32_t scales[] = {0, 1, 2, 0xffff, 0x10000, 0x10001, UINT32_MAX};
	const auto exact = [](uint64_t distance, uint32_t scale) {
		return static_cast<uint64_t>(static_cast<unsigned __int128>(distance) * scale >> 16);
	};
	const uint64_t seed = Catch::rngSeed();
	std::mt19937_64 random(seed);

	for (const uint64_t distance : distances)
		for (const uint32_t scale : scales)
			CHECK(profil_bin_product_in_halves(distance, scale) == exact(distance, scale));
	for (int i = 0; i < 1'000'000; i++) {
		const uint64_t distance = random() >> random() % 64;
		const auto scale = static_cast<uint32_t>(random() >> (32 + random() % 32));

		if (profil_bin_product_in_halves(distance, scale) != exact(distance, scale)) {
			INFO("seed " << seed << " distance " << distance << " scale " << scale);
			REQUIRE(profil_bin_product_in_halves(distance, scale) == exact(distance, scale));
		}
	}
}

TEST_CASE("random regions agree with 128-bit arithmetic", "[bin]")
{
	const uint64_t seed = Catch::rngSeed();
	Regions regions(seed);

	for (int i = 0; i < 1'000'000; i++) {
		const profil_region region = regions.next();
		const uint64_t pc = i % 4 ? region.low + regions.number() : regions.number();
		const int64_t expected = exact_counter(region, pc);

		if (!profil_bin_valid(&region) || profil_counter_index(&region, pc) != expected) {
			INFO("seed " << seed << ": " << words(region) << " pc " << std::hex << pc);
			CHECK(profil_bin_valid(&region) == 1);
			CHECK(profil_counter_index(&region, pc) == expected);
			return;
		}
	}
}

TEST_CASE("the clip of a region is exactly the first PC without a counter", "[bin]")
{
	const uint64_t seed = Catch::rngSeed();
	Regions regions(seed);

	for (int i = 0; i < 1'000'000; i++) {
		const profil_region region = regions.next();
		const uint64_t clip = profil_bin_clip(&region);
		const bool in_range = clip >= region.low && clip <= region.high;
		const bool last_has = clip == region.low || exact_counter(region, clip - 1) >= 0;
		const bool next_has = clip < region.high && exact_counter(region, clip) >= 0;

		if (!in_range || !last_has || next_has) {
			INFO("seed " << seed << ": " << words(region) << " clip " << std::hex << clip);
			CHECK(in_range);
			CHECK(last_has);
			CHECK_FALSE(next_has);
			return;
		}
	}
}

TEST_CASE("around its end a small buffer is counted to the last PC and no further", "[bin]")
{
	for (const uint32_t scale :
	     {1U, 2U, 3U, 0x4000U, 0x7fffU, 0x8000U, 0xffffU, 0x10000U, 0x10001U, 0x20000U, 0xffffffffU})
		for (unsigned shape = 0; shape < 3 * 4 * 4 * 2; shape++)
			for (uint64_t counters = 0; counters < 4; counters++) {
				profil_region r = {};

				r.width = static_cast<__u8>(2 << shape % 3);
				r.pre = shape / 3 % 4;
				r.post = shape / 12 % 4;
				r.bias = static_cast<__u8>(shape / 48);
				r.bytes = counters * r.width;
				r.scale = scale;
				r.offset = text;
				r.low = text;
				r.high = UINT64_MAX;

				const uint64_t clip = profil_bin_clip(&r);
				const uint64_t first = clip > r.low + 300 ? clip - 300 : r.low;

				for (uint64_t pc = first; pc < clip + 300; pc++)
					if (profil_counter_index(&r, pc) != exact_counter(r, pc)) {
						INFO(words(r) << " pc " << std::hex << pc);
						CHECK(profil_counter_index(&r, pc) == exact_counter(r, pc));
						return;
					}
			}
}

TEST_CASE("the tick's short form of a region gives the same counter", "[bin]")
{
	const uint64_t seed = Catch::rngSeed();
	Regions regions(seed);

	for (int i = 0; i < 1'000'000; i++) {
		const profil_region region = regions.next();
		const uint64_t base = regions.number() & 0xffffffff8;
		profil_bin bin;
		const bool counts = profil_bin_prepare(&bin, &region, base);
		const uint64_t last = bin.high - 1;
		const uint64_t pc =
			i % 2 ? last : bin.low + regions.number() % (bin.high - bin.low + !counts);

		if (!region.bytes)
			continue; /* swallows its ticks, and has no position */
		if (counts != (exact_counter(region, region.low) >= 0) ||
		    (counts &&
		     profil_bin_position(&bin, pc) !=
			     base + static_cast<uint64_t>(exact_counter(region, pc)) * region.width)) {
			INFO("seed " << seed << ": " << words(region) << " pc " << std::hex << pc);
			FAIL("position " << profil_bin_position(&bin, pc) - base << " for counter "
					 << exact_counter(region, pc));
		}
	}
}

TEST_CASE("a region without counters swallows all of its range", "[bin]")
{
	profil_region region = region_of("solaris", 2, 0x10000, 0);
	profil_bin bin;

	region.high = text + 100;
	CHECK(profil_bin_prepare(&bin, &region, 0) == 1);
	CHECK(bin.width == 0);
	CHECK(bin.low == text);
	CHECK(bin.high == text + 100);
	CHECK(profil_counter_index(&region, text) == -1);
}

TEST_CASE("a region outside the documented limits is not computed with", "[bin]")
{
	const profil_region good = region_of("solaris", 2, 0x10000, 64);
	profil_region bad[9];

	std::fill(std::begin(bad), std::end(bad), good);
	bad[0].width = 3;
	bad[1].width = 0;
	bad[2].pre = 4;
	bad[3].post = 4;
	bad[4].bias = 2;
	bad[5].bytes = 63;
	bad[6].high = bad[6].low;
	bad[7].offset = bad[7].low + 1;
	bad[8].bytes = PROFIL_BIN_BYTES_MAX + 2;

	CHECK(profil_bin_valid(&good) == 1);
	CHECK(profil_counter_index(&good, text) == 0);
	for (const profil_region &region : bad) {
		INFO(words(region));
		CHECK(profil_bin_valid(&region) == 0);
		CHECK(profil_counter_index(&region, text) == -1);
	}
}

TEST_CASE("a counter of each width is read whole", "[counter]")
{
	alignas(8) const uint64_t memory[] = {0x1122334455667788, UINT64_MAX};
	profil_region region = {};

	region.buffer = reinterpret_cast<uintptr_t>(memory);
	region.bytes = sizeof memory;
	region.width = 2;
	CHECK(profil_counter_read(&region, 0) == 0x7788);
	CHECK(profil_counter_read(&region, 7) == 0xffff);
	CHECK(profil_counter_read(&region, 8) == 0);
	region.width = 4;
	CHECK(profil_counter_read(&region, 1) == 0x11223344);
	CHECK(profil_counter_read(&region, 3) == 0xffffffff);
	CHECK(profil_counter_read(&region, 4) == 0);
	region.width = 8;
	CHECK(profil_counter_read(&region, 0) == 0x1122334455667788);
	CHECK(profil_counter_read(&region, 1) == UINT64_MAX);
	CHECK(profil_counter_read(&region, 2) == 0);
	for (const int width : {0, 1, 3, 16}) {
		region.width = static_cast<__u8>(width);
		CHECK(profil_counter_read(&region, 0) == 0);
	}
}
