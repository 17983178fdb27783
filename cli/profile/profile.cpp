// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/profile/profile.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace cli {
namespace {

std::optional<size_t> index_of(const Profile &profile, const std::string &type)
{
	const auto &types = profile.sample_types;
	const auto found = std::find_if(types.begin(), types.end(),
					[&](const ValueType &one) { return one.type == type; });

	return found == types.end() ? std::nullopt
				    : std::optional(static_cast<size_t>(found - types.begin()));
}

} // namespace

size_t samples_index(const Profile &profile)
{
	const auto &types = profile.sample_types;
	const auto counted = std::find_if(types.begin(), types.end(),
					  [](const ValueType &type) { return type.unit == "count"; });

	if (const auto samples = index_of(profile, "samples"))
		return *samples;
	if (const auto chosen = index_of(profile, profile.default_sample_type))
		return *chosen;
	return counted == types.end() ? 0 : static_cast<size_t>(counted - types.begin());
}

Outcome keep_value(Profile &profile, const std::string &name)
{
	const std::optional<size_t> index = index_of(profile, name);

	if (!index) {
		std::string types;

		for (const ValueType &type : profile.sample_types)
			types += (types.empty() ? "" : ", ") + type.type;
		return Error{fmt::format("there are no values '{}' (--value takes: {})", name, types)};
	}
	profile.sample_types = {profile.sample_types[*index]};
	profile.default_sample_type = name;
	for (Sample &sample : profile.samples)
		sample.values = {sample.values[*index]};
	return Done();
}

uint64_t samples_of(const Sample &sample, size_t index)
{
	return static_cast<uint64_t>(std::max<int64_t>(sample.values[index], 0));
}

} // namespace cli
