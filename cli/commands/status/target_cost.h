// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/status/target_cost.h  The cost of a profile for a running process. */
#pragma once

#include "cli/commands/status/process_load.h"
#include "cli/commands/status/switch_cost.h"
#include "cli/recording/tick_cost.h"

#include <string>
#include <sys/types.h>

namespace cli {

/** A process, and the rate at which it would be profiled. */
struct CostTarget {
	pid_t pid = 0;
	std::string process; /**< its name */
	double rate = 0;     /**< Hz */
	ProcessLoad load = {};
};

struct TargetCost {
	double ticks = 0;	   /**< per second */
	double tick_seconds = 0;   /**< the time that the ticks take, per second */
	double switch_seconds = 0; /**< the time that a profile adds to switches, per second */
	double share = 0;	   /**< the share of the process's CPU time; 0 if it uses none */
};

/** The cost of a process's ticks and switches: CPUs x rate x tick + switches x switch. */
TargetCost target_cost(const CostTarget &target, const TickCost &tick, const SwitchCost &one_switch);

/** target_cost() as a line of text. */
std::string target_cost_text(const CostTarget &target, const TickCost &tick, const SwitchCost &one_switch);

} // namespace cli
