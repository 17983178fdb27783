// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/profile/profile.h"

#include <algorithm>

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

uint64_t samples_of(const Sample &sample, size_t index)
{
	return static_cast<uint64_t>(std::max<int64_t>(sample.values[index], 0));
}

} // namespace cli
