// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/profile.h"

#include "cli/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace cli {

size_t samples_index(const Profile &profile)
{
	const auto &types = profile.sample_types;
	const auto named = std::find_if(types.begin(), types.end(),
					[](const ValueType &type) { return type.type == "samples"; });
	const auto counted = std::find_if(types.begin(), types.end(),
					  [](const ValueType &type) { return type.unit == "count"; });

	if (named != types.end())
		return static_cast<size_t>(named - types.begin());
	return counted == types.end() ? 0 : static_cast<size_t>(counted - types.begin());
}

std::string object_at(const Profile &profile, const Location &location)
{
	return location.mapping ? profile.mappings[*location.mapping].filename : "[unknown]";
}

std::string function_at(const Profile &profile, const Location &location)
{
	std::string name;

	if (!location.lines.empty())
		name = profile.functions[location.lines.back().function].name;
	if (name.empty() && location.mapping)
		return fmt::format("{}+{:#x}", base_name(object_at(profile, location)), location.address);
	return name.empty() ? fmt::format("{:#x}", location.address) : name;
}

uint64_t samples_of(const Sample &sample, size_t index)
{
	return static_cast<uint64_t>(std::max<int64_t>(sample.values[index], 0));
}

} // namespace cli
