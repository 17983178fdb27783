// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/status/status.h"

#include <algorithm>

namespace cli {

bool Status::well() const
{
	return std::all_of(abilities.begin(), abilities.end(),
			   [](const Ability &ability) { return ability.can; });
}

uint64_t Status::other_profiles() const
{
	const auto all = machine.totals.find("profiles");
	uint64_t seen = 0;

	if (all == machine.totals.end())
		return 0;
	for (const HeldSession &session : search.sessions)
		seen += session.profiles.size();
	return all->second > seen ? all->second - seen : 0;
}

} // namespace cli
