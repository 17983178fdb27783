// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/place.h"

#include "cli/text.h"

#include <fmt/format.h>

namespace cli {

std::string_view object_of(const Profile &profile, const Location &location)
{
	return location.mapping ? std::string_view(profile.mappings[*location.mapping].filename)
				: unknown_name;
}

std::string_view symbol_of(const Profile &profile, const Location &location)
{
	/* Those inlined in it come before. */
	return location.lines.empty() ? std::string_view()
				      : profile.functions[location.lines.back().function].name;
}

std::string nameless(const Profile &profile, const Location &location)
{
	if (!location.mapping)
		return fmt::format("{:#x}", location.address);
	return fmt::format("{}+{:#x}", base_name(object_of(profile, location)), location.address);
}

ProcessName process_of(const Sample &sample)
{
	ProcessName process;

	for (const Label &label : sample.labels) {
		if (label.key == "process")
			process.command = label.text;
		else if (label.key == "pid")
			process.pid = label.number;
	}
	return process;
}

} // namespace cli
