// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/export/size.h"

#include "cli/commands/export/export.h"

#include <fmt/format.h>
#include <map>

namespace cli {

Error too_large_to_export()
{
	return Error{fmt::format("it would need more than {} MiB in that format (use pprof, which stores "
				 "each function once)",
				 export_bytes_max >> 20)};
}

Outcome check_stacks_fit(std::span<const CountedStack> stacks, const CallFrames &frames,
			 uint64_t (*frame_bytes)(const CallFrame &frame))
{
	std::map<size_t, uint64_t> location_bytes;
	uint64_t bytes = 0;

	for (const CountedStack &stack : stacks) {
		for (const size_t location : stack.locations) {
			const auto [place, fresh] = location_bytes.try_emplace(location, 0);

			if (fresh) {
				for (const CallFrame &frame : frames.at(location))
					place->second += frame_bytes(frame);
			}
			bytes = add_samples(bytes, place->second);
		}
	}
	if (bytes > export_bytes_max)
		return too_large_to_export();
	return Done();
}

} // namespace cli
