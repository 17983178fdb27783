// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/target.h"

#include <algorithm>
#include <atomic>

namespace cli {
namespace {

constexpr std::chrono::milliseconds last_delay{27};

/* More elements than can be reserved but not yet written at the same time. */
constexpr uint64_t longest_gap = 64;

} // namespace

/* The kernel reserves an element, then writes it once; until then it is 0. */
uint64_t RawSamples::at(uint64_t index) const
{
	return std::atomic_ref<uint64_t>(memory_.elements<uint64_t>()[index]).load(std::memory_order_relaxed);
}

bool RawSamples::pending() const
{
	const uint64_t end = std::min(position_ + longest_gap, capacity);

	for (uint64_t index = position_; index < end; index++) {
		if (at(index))
			return true;
	}
	return false;
}

/*
 * A 0 before other elements is about to be written, so stop there.  If it is still 0
 * at the next call, the PC was 0.
 */
std::vector<uint64_t> RawSamples::take()
{
	std::vector<uint64_t> pcs;

	for (; pending(); position_++) {
		const uint64_t pc = at(position_);

		if (!pc && gap_ != position_) {
			gap_ = position_;
			break;
		}
		pcs.push_back(pc);
		if (!pc)
			gap_ = position_ + 1; /* zeros right after it have had as much time */
	}
	return pcs;
}

std::vector<uint64_t> RawSamples::take_rest(uint64_t stored)
{
	std::vector<uint64_t> pcs;

	while (position_ < std::min(stored, capacity))
		pcs.push_back(at(position_++));
	return pcs;
}

ScanSchedule::ScanSchedule(bool young)
{
	if (young)
		next_ = Clock::now();
}

void ScanSchedule::advance(Clock::time_point now)
{
	if (delay_ > last_delay)
		next_.reset();
	else
		next_ = now + delay_;
	delay_ *= 3;
}

profil_spec Target::spec(uint64_t period, uint32_t flags, const std::vector<profil_region> &regions) const
{
	profil_spec spec = {};

	spec.size = sizeof(spec);
	spec.flags = PROFIL_FAULT_REGION | flags;
	spec.period = period;
	spec.regions = regions.data();
	spec.nr_regions = static_cast<uint32_t>(regions.size());
	spec.samples = raw.data();
	spec.nr_samples = RawSamples::capacity;
	spec.sample_width = sizeof(uint64_t);
	return spec;
}

} // namespace cli
