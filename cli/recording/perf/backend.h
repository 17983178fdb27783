// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/perf/backend.h  Chooses between the module and perf's events. */
#pragma once

#include "cli/base/result.h"
#include "cli/recording/target_options.h"
#include "cli/recording/tick_cost.h"
#include "profil.h"

#include <cstdint>
#include <optional>
#include <string>

namespace cli {

/** The module or perf, whichever takes the samples, and its limits. */
struct Backend {
	bool perf = false;     /**< perf's events, not the module */
	profil_info info = {}; /**< the module's; with perf: period_min and unlimited pages_max */
	std::string why;       /**< with perf: why the module is not used */
};

/** The module, or perf's events if the module cannot be used and the options leave the choice. */
Result<Backend> choose_backend(const TargetOptions &options);

/** The sampling period in ns, or an error if the backend does not permit the rate. */
Result<uint64_t> choose_period(const TargetOptions &options, const Backend &backend);

/** A line that says that perf is used, why, and the cost of a sample, if it is known. */
std::string backend_line(const Backend &backend, const std::optional<TickCost> &cost);

} // namespace cli
