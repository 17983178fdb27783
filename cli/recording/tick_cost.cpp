// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/tick_cost.h"

#include "cli/base/files.h"
#include "cli/base/monotonic.h"
#include "cli/base/numbers.h"
#include "cli/recording/self_profile.h"
#include "cli/recording/session.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace cli {
namespace {

constexpr uint64_t ns_per_second = 1000000000;
constexpr uint64_t period = 1000000;
constexpr uint64_t duration = 100 * period;
constexpr size_t least_gaps = 20;
constexpr size_t calibration = 1000;

/** The usual time between two reads of the clock: the median, because some are interrupted. */
uint64_t usual_step()
{
	std::vector<uint64_t> steps(calibration);
	uint64_t last = monotonic_ns();

	for (uint64_t &step : steps) {
		const uint64_t time = monotonic_ns();

		step = time - last;
		last = time;
	}
	std::nth_element(steps.begin(), steps.begin() + calibration / 2, steps.end());
	return steps[calibration / 2];
}

/* The period of the module's clock, in ns; 0 while it is stopped. */
uint64_t clock_period()
{
	const Result<std::string> text = read_file("/sys/class/misc/profil/clock_period");
	uint64_t ns = 0;

	if (text)
		std::from_chars(text->data(), text->data() + text->size(), ns);
	return ns;
}

} // namespace

std::vector<uint64_t> spin_and_note_gaps(uint64_t ns)
{
	const uint64_t usual = usual_step();
	const uint64_t threshold = 4 * usual + 200;
	const uint64_t start = monotonic_ns();
	std::vector<uint64_t> gaps;

	for (uint64_t last = start; last - start < ns;) {
		const uint64_t time = monotonic_ns();

		if (time - last > threshold)
			gaps.push_back(time - last - usual);
		last = time;
	}
	return gaps;
}

Result<TickCost> cost_of_gaps(std::vector<uint64_t> gaps, double expected)
{
	const auto number = static_cast<double>(gaps.size());

	if (gaps.size() < least_gaps || number < expected / 2 || number > expected * 2)
		return Error{
			fmt::format("{} where {:.0f} ticks were due: this machine is too busy, or shares "
				    "its CPUs",
				    counted_noun(gaps.size(), "interruption"), expected)};
	std::nth_element(gaps.begin(), gaps.begin() + static_cast<ptrdiff_t>(gaps.size() / 2), gaps.end());
	return TickCost{static_cast<double>(gaps[gaps.size() / 2]), gaps.size(), 0};
}

uint64_t measuring_period(uint64_t others)
{
	return others >= period && others < 2 * period ? others : period;
}

Result<TickCost> measure_tick_cost(uint64_t next)
{
	const uint64_t running = clock_period();
	const uint64_t ours = measuring_period(running ? running : next);
	const SelfProfile profile(ours);

	if (profile.error())
		return Error{explain(profile.error(), "PROFIL_START")};

	/* Another user's profile may make the clock faster than ours does. */
	const uint64_t ticking = clock_period();
	const auto between = static_cast<double>(ticking ? ticking : ours);
	Result<TickCost> cost =
		cost_of_gaps(spin_and_note_gaps(duration), static_cast<double>(duration) / between);

	if (cost)
		cost->rate = static_cast<double>(ns_per_second) / between;
	return cost;
}

} // namespace cli
