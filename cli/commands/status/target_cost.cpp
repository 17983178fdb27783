// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/status/target_cost.h"

#include "cli/base/numbers.h"

#include <cmath>
#include <fmt/format.h>

namespace cli {
namespace {

constexpr double ns_per_second = 1e9;
constexpr double us_per_second = 1e6;
constexpr double ns_per_us = 1e3;
constexpr double percent = 100;

} // namespace

TargetCost target_cost(const CostTarget &target, const TickCost &tick, const SwitchCost &one_switch)
{
	TargetCost cost;

	cost.ticks = target.load.cpus * target.rate;
	cost.tick_seconds = cost.ticks * tick.ns / ns_per_second;
	cost.switch_seconds = target.load.switches * one_switch.certain_ns() / ns_per_second;
	if (target.load.cpus > 0)
		cost.share = (cost.tick_seconds + cost.switch_seconds) / target.load.cpus;
	return cost;
}

std::string target_cost_text(const CostTarget &target, const TickCost &tick, const SwitchCost &one_switch)
{
	const TargetCost cost = target_cost(target, tick, one_switch);
	const auto whole = [](double number) { return grouped(static_cast<uint64_t>(std::llround(number))); };

	return fmt::format("at {}: {} ticks x {:.1f} us + {} switches x {:.0f} ns = {} us a second, "
			   "{:.2f} % of its CPU time",
			   rate_text(target.rate), whole(cost.ticks), tick.ns / ns_per_us,
			   whole(target.load.switches), one_switch.certain_ns(),
			   whole((cost.tick_seconds + cost.switch_seconds) * us_per_second),
			   cost.share * percent);
}

} // namespace cli
