// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/method_profil.cpp  profil: a self profile, and a profile that the process attaches to
 * itself and its children. */
#include "profil.h"
#include "tests/bench/bench.h"
#include "tests/bench/method.h"

#include <unistd.h>
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

class Profil : public Method {
public:
	explicit Profil(const Wish &wish) : regions(regions_for(wish.regions, others))
	{
		spec.size = sizeof spec;
		spec.period = wish.period;
		spec.regions = regions.data();
		spec.nr_regions = wish.regions;
	}

protected:
	profil_spec spec{};

private:
	std::vector<std::uint32_t> others;
	std::vector<profil_region> regions;
};

class SelfProfile : public Profil {
public:
	explicit SelfProfile(const Wish &wish) : Profil(wish)
	{
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
};

class AttachedProfile : public Profil {
public:
	explicit AttachedProfile(const Wish &wish) : Profil(wish)
	{
		profil_target target{getpid(), 0, nullptr, &spec, 0};

		spec.flags = PROFIL_FOLLOW;
		if (!session)
			die("profil_session_open");
		if (profil_attach(session, &target, 1) != 1) {
			errno = target.error;
			die(target.step ? target.step : "profil_attach");
		}
	}
	~AttachedProfile() override { profil_session_close(session); }
	std::uint64_t stop() override { return counted(); }

private:
	profil_session *session = profil_session_open();
};

} // namespace

std::unique_ptr<Method> make_profil(const std::string &name, const Wish &wish)
{
	if (name == "profil")
		return std::make_unique<SelfProfile>(wish);
	if (name == "attached")
		return std::make_unique<AttachedProfile>(wish);
	return nullptr;
}

} // namespace bench
