// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/status/status.h  Everything that profil status shows. */
#pragma once

#include "cli/commands/status/abilities.h"
#include "cli/commands/status/held_sessions.h"
#include "cli/commands/status/target_cost.h"

#include <optional>
#include <string>
#include <vector>

namespace cli {

struct Status {
	Machine machine;
	Permissions permissions;
	std::vector<Ability> abilities;
	SessionSearch search;
	/* nullopt for a cost that was not measured. */
	std::optional<Result<TickCost>> cost;
	std::optional<Result<SwitchCost>> switch_cost;
	std::optional<Result<CostTarget>> target; /**< the process of --cost -p */

	/** True if the module can be used. */
	[[nodiscard]] bool usable() const { return machine.loaded && !permissions.module_error; }
	/** True if everything works. */
	[[nodiscard]] bool well() const;
	/** The number of profiles outside the sessions that we may see. */
	[[nodiscard]] uint64_t other_profiles() const;
};

/** The status as text. */
std::string status_text(const Status &status);

/** The status as JSON, as Documentation/status.schema.json describes it. */
std::string status_json(const Status &status);

} // namespace cli
