// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/kmod/bin_position.cpp  The module's short formula (profil_bin_position) against the
 * formula of the interface (profil_bin_index).
 */

#include <algorithm>
#include <cstdint>
#include <random>

#include "kmod/memory/bin.h"
#include "tests/support/catch.h"

namespace {

profil_region random_region(std::mt19937_64 &random)
{
	static constexpr std::uint8_t widths[] = {2, 4, 8};
	profil_region r{};
	r.width = widths[random() % 3];
	r.pre = static_cast<std::uint8_t>(random() % 4);
	r.bias = static_cast<std::uint8_t>(random() % 2);
	r.post = static_cast<std::uint8_t>(random() % 4);
	r.scale = static_cast<std::uint32_t>(random() >> (32 + random() % 32));
	r.bytes = ((random() >> (28 + random() % 36)) + 1) * r.width;
	r.offset = random() >> (1 + random() % 63);
	r.low = r.offset + (random() >> (40 + random() % 24));
	r.high = r.low + 1 + (random() >> (1 + random() % 63));
	return r;
}

} // namespace

TEST_CASE("the module's short formula gives the position of the interface's index for every counted PC")
{
	const std::uint64_t seed = 20261120;
	INFO("seed " << seed);
	std::mt19937_64 random(seed);
	int counted = 0;

	for (int i = 0; i < 200'000; i++) {
		const profil_region r = random_region(random);
		if (!profil_bin_valid(&r))
			continue;
		const std::uint64_t base = random() >> (20 + random() % 40) << 12;
		profil_bin bin{};
		if (!profil_bin_prepare(&bin, &r, base)) {
			REQUIRE(profil_bin_clip(&r) <= r.low);
			continue;
		}
		REQUIRE(bin.high == profil_bin_clip(&r));
		const std::uint64_t span = bin.high - bin.low;
		for (const std::uint64_t pc :
		     {bin.low, bin.low + span / 2, bin.high - 1, bin.low + random() % span}) {
			const std::uint64_t index = profil_bin_index(&r, pc);
			REQUIRE(index < r.bytes / r.width);
			REQUIRE(profil_bin_position(&bin, pc) == base + index * r.width);
			counted++;
		}
	}
	REQUIRE(counted > 100'000);
}

TEST_CASE("a region of no bytes is kept whole and has no width, so that it swallows its ticks")
{
	profil_region r{};
	r.low = 0x1000;
	r.high = 0x2000;
	r.offset = 0x1000;
	r.width = 2;
	r.scale = 0x10000;
	profil_bin bin{};
	REQUIRE(profil_bin_prepare(&bin, &r, 0) == 1);
	REQUIRE(bin.high == 0x2000);
	REQUIRE(bin.width == 0);
}
