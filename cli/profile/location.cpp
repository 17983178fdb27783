// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/profile/location.h"

#include "cli/base/characters.h"
#include "cli/base/saturate.h"

#include <climits>
#include <fmt/format.h>

namespace cli {

std::string_view object_of(const Profile &profile, const Location &location)
{
	if (!location.mapping || profile.mappings[*location.mapping].filename.empty())
		return unknown_name;
	return profile.mappings[*location.mapping].filename;
}

std::string_view name_of(const Function &function)
{
	return function.name.empty() ? function.system_name : function.name;
}

std::string_view symbol_of(const Profile &profile, const Location &location)
{
	/* The last function is the symbol's; those inlined in it come before it. */
	return location.lines.empty() ? std::string_view()
				      : name_of(profile.functions[location.lines.back().function]);
}

std::string nameless(const Profile &profile, const Location &location)
{
	const std::string_view object = object_of(profile, location);

	if (object == unknown_name)
		return fmt::format("{:#x}", location.address);
	/* Called for each address: another tool's file may have a long name and many addresses. */
	return fmt::format("{}+{:#x}", base_name(object).substr(0, NAME_MAX), location.address);
}

std::string function_of(const Profile &profile, const Location &location)
{
	const std::string_view symbol = symbol_of(profile, location);

	return symbol.empty() ? nameless(profile, location) : std::string(symbol);
}

std::vector<uint64_t> samples_by_location(const Profile &profile)
{
	const size_t index = samples_index(profile);
	std::vector<uint64_t> sums(profile.locations.size());

	for (const Sample &sample : profile.samples) {
		if (sample.locations.empty())
			continue;

		uint64_t &sum = sums[sample.locations.front()];

		sum = saturating_add(sum, samples_of(sample, index));
	}
	return sums;
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

std::optional<int64_t> slice_of(const Sample &sample)
{
	for (const Label &label : sample.labels) {
		if (label.key == slice_label)
			return label.number;
	}
	return std::nullopt;
}

ToldApart told_apart(const Profile &profile)
{
	ToldApart told = ToldApart::Nothing;

	for (const Sample &sample : profile.samples) {
		const ProcessName process = process_of(sample);

		if (process.pid)
			return ToldApart::Processes;
		if (!process.command.empty())
			told = ToldApart::Commands;
	}
	return told;
}

} // namespace cli
