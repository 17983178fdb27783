// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/status/target_cost.h  What a profile would cost a running process. */
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
	double ticks = 0;	   /**< per second */
	double tick_seconds = 0;   /**< the time that these take, per second */
	double switch_seconds = 0; /**< the time that a profile adds to its switches, per second */
	double share = 0;	   /**< of its own CPU time; 0 if it uses none */
};

/** The cost of its ticks and its switches: rate x tick + switches x switch. */
TargetCost target_cost(const CostTarget &target, const TickCost &tick, const SwitchCost &one_switch);

/** The same as a line of text. */
std::string target_cost_text(const CostTarget &target, const TickCost &tick, const SwitchCost &one_switch);

} // namespace cli
