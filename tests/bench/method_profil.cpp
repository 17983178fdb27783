// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/method_profil.cpp  profil: a self profile. */
#include "profil.h"
#include "tests/bench/bench.h"
#include "tests/bench/method.h"

#include <vector>

namespace bench {

namespace {

/** One region that counts, and half of the others below and half above it. */
std::vector<profil_region> regions_for(unsigned number, std::vector<std::uint32_t> &others)
{
	constexpr std::uint64_t size = 16;
	std::vector<profil_region> regions;
	const std::uint64_t low = text_low();
	const unsigned below = (number - 1) / 2;

	others.resize(number * size / sizeof(std::uint32_t));
	for (unsigned i = 0; i < number; i++) {
		profil_region region{};
		const bool counts = i == below;

		if (counts)
			region.low = low;
		else if (i < below)
			region.low = low - (below - i) * size;
		else
			region.low = low + text_covered + i * size;
		region.offset = region.low;
		region.bytes = counts ? text_covered : size;
		region.high = region.low + region.bytes;
		region.buffer = reinterpret_cast<std::uint64_t>(
			counts ? counters : &others[i * size / sizeof(std::uint32_t)]);
		region.scale = 0x10000;
		region.width = sizeof(std::uint32_t);
		region.post = 2;
		regions.push_back(region);
	}
	return regions;
}

class SelfProfile : public Method {
public:
	explicit SelfProfile(const Wish &wish) : regions(regions_for(wish.regions, others))
	{
		profil_spec spec{};

		spec.size = sizeof spec;
		spec.period = wish.period;
		spec.regions = regions.data();
		spec.nr_regions = wish.regions;
		if (profil_self_start(&spec, nullptr))
			die("profil_self_start");
	}
	~SelfProfile() override
	{
		if (profil_self_stop(nullptr))
			die("profil_self_stop");
	}
	std::uint64_t stop() override
	{
		profil_status status{};

		status.size = sizeof status;
		if (profil_self_get_status(&status))
			die("profil_self_get_status");
		if (status.state != PROFIL_STATE_RUNNING) {
			errno = EFAULT;
			die("the profile went off");
		}
		return status.counted;
	}

private:
	std::vector<std::uint32_t> others;
	std::vector<profil_region> regions;
};

} // namespace

std::unique_ptr<Method> make_profil(const std::string &name, const Wish &wish)
{
	return name == "profil" ? std::make_unique<SelfProfile>(wish) : nullptr;
}

} // namespace bench
