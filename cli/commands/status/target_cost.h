// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/status/target_cost.h  What a profile of a running process would take from it. */
#pragma once

#include "cli/commands/status/process_load.h"
#include "cli/commands/status/switch_cost.h"
#include "cli/recording/tick_cost.h"

#include <string>
#include <sys/types.h>

namespace cli {

/** A process, and how it would be profiled. */
struct CostTarget {
	pid_t pid = 0;
	std::string process; /**< its name */
	double rate = 0;     /**< Hz */
	ProcessLoad load = {};
};

struct TargetCost {
	double ticks = 0;	   /**< a second */
	double tick_seconds = 0;   /**< that they take, in a second */
	double switch_seconds = 0; /**< that its switches take more than without a profile */
	double share = 0;	   /**< of its own CPU time; 0 if it uses none */
};

/** Its ticks at what each costs, and its switches: rate x tick + switches x switch. */
TargetCost target_cost(const CostTarget &target, const TickCost &tick, const SwitchCost &one_switch);

/** The same in a line. */
std::string target_cost_text(const CostTarget &target, const TickCost &tick, const SwitchCost &one_switch);

} // namespace cli
