// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/method_profil.cpp  A self profile, as each system's calls request it.
 *
 * profil: as profil() of Linux does; bsd: as on BSD and IRIX; tru64, aix, solaris; pcsample: an
 * array of PCs.  These use profil_self_start(), because the calls themselves would tick at their
 * systems' rates, 100 Hz and more.  linux: profil() itself, to measure starting and stopping.
 */
#include "profil.h"
#include "tests/bench/bench.h"
#include "tests/bench/method.h"

#include <vector>

extern "C" int profil_linux(void *, std::size_t, std::size_t, unsigned);

namespace bench {

namespace {

/** How a flavour counts (libprofil/flavours/), with 16-bit counters for two bytes of text each. */
struct Counting {
	const char *name;
	std::uint8_t pre, bias, post;
	std::uint32_t policy;
	std::uint64_t limit;
};

constexpr Counting countings[] = {
	{"profil", 1, 0, 0, PROFIL_WRAP, 0},
	{"bsd", 0, 0, 1, PROFIL_WRAP, 0},
	{"tru64", 0, 1, 1, PROFIL_WRAP, 0},
	{"aix", 0, 1, 1, PROFIL_SATURATE, 0},
	{"solaris", 0, 0, 1, PROFIL_LIMIT_STOP, 32767},
	{"pcsample", 0, 0, 0, PROFIL_WRAP, 0},
};

/** One region that counts, with half of the other regions below it and half above. */
std::vector<profil_region> regions_for(const Counting &counting, unsigned number,
				       std::vector<std::uint32_t> &others)
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
		region.width = sizeof(std::uint16_t);
		region.pre = counting.pre;
		region.bias = counting.bias;
		region.post = counting.post;
		regions.push_back(region);
	}
	return regions;
}

class SelfProfile : public Method {
public:
	SelfProfile(const Wish &wish, const Counting &counting)
		: regions(regions_for(counting, wish.regions, others))
	{
		profil_spec spec{};

		spec.size = sizeof spec;
		spec.period = wish.period;
		spec.limit_policy = counting.policy;
		spec.limit = counting.limit;
		if (!std::strcmp(counting.name, "pcsample")) {
			pcs.resize(pcs_most);
			spec.samples = pcs.data();
			spec.nr_samples = pcs.size();
			spec.sample_width = sizeof pcs.front();
		} else {
			spec.regions = regions.data();
			spec.nr_regions = wish.regions;
		}
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

	/* The other methods' 32-bit counter is two 16-bit counters here. */
	std::uint64_t at(std::uint64_t pc) const override
	{
		const std::uint64_t both = Method::at(pc);

		return (both & 0xffff) + (both >> 16);
	}

private:
	static constexpr std::size_t pcs_most = 65536; /* more than all runs take */
	std::vector<std::uint64_t> pcs;
	std::vector<std::uint32_t> others;
	std::vector<profil_region> regions;
};

/** libprofil's profil() for Linux, at its 100 Hz. */
class LinuxProfil : public Method {
public:
	LinuxProfil()
	{
		if (profil_linux(counters, sizeof counters, text_low(), 0x10000))
			die("profil");
	}
	~LinuxProfil() override { profil_linux(nullptr, 0, 0, 0); }
	std::uint64_t stop() override { return 0; }
};

} // namespace

std::unique_ptr<Method> make_profil(const std::string &name, const Wish &wish)
{
	for (const Counting &counting : countings)
		if (name == counting.name)
			return std::make_unique<SelfProfile>(wish, counting);
	return name == "linux" ? std::make_unique<LinuxProfil>() : nullptr;
}

} // namespace bench
