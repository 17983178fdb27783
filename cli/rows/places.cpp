// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/rows/places.h"

#include "cli/profile/location.h"

namespace cli {

Places::Places(const Profile &profile, std::span<const SortKey> columns)
	: profile_(profile), by_function_(profile.functions.size()), by_mapping_(profile.mappings.size())
{
	for (const SortKey column : columns)
		shown_[static_cast<size_t>(column)] = true;
	texts_.reserve(profile.functions.size() + profile.mappings.size());
	numbers_.reserve(profile.functions.size() + profile.mappings.size());
	number("");
}

uint32_t Places::number(std::string_view text)
{
	if (const auto found = numbers_.find(text); found != numbers_.end())
		return found->second;

	const auto next = static_cast<uint32_t>(texts_.size());

	numbers_.emplace(texts_.emplace_back(store_->keep(text)), next);
	return next;
}

/* The profile may have grown since the last call. */
Places::Numbers &Places::numbers_of(size_t function)
{
	if (function >= by_function_.size())
		by_function_.resize(function + 1);
	return by_function_[function];
}

uint32_t Places::function_number(const Location &location, size_t function)
{
	Numbers &known = numbers_of(function);

	if (known.name != unknown_number)
		return known.name;

	const std::string_view name = name_of(profile_.functions[function]);

	return name.empty() ? number(nameless(profile_, location)) : known.name = number(name);
}

uint32_t Places::file_number(size_t function)
{
	Numbers &known = numbers_of(function);

	if (known.file == unknown_number)
		known.file = number(profile_.functions[function].filename);
	return known.file;
}

uint32_t Places::object_number(const Location &location)
{
	if (!location.mapping)
		return number(unknown_name);

	if (*location.mapping >= by_mapping_.size())
		by_mapping_.resize(*location.mapping + 1);

	std::optional<uint32_t> &known = by_mapping_[*location.mapping];

	if (!known) {
		known = number(object_of(profile_, location));
		build_ids_.try_emplace(*known, store_->keep(profile_.mappings[*location.mapping].build_id));
	}
	return *known;
}

Place Places::look_up(const Location &location)
{
	const auto &lines = location.lines;
	const auto function = [&](auto line) {
		return lines.empty() ? number(nameless(profile_, location))
				     : function_number(location, line->function);
	};
	Place place;

	if (shows(SortKey::Function))
		place.function = function(lines.rbegin());
	if (shows(SortKey::Inlined)) {
		place.inlined = function(lines.begin());
		place.is_inlined = lines.size() > 1;
	}
	if (shows(SortKey::Object))
		place.object = object_number(location);
	if (shows(SortKey::Address))
		place.address = location.address;
	if ((shows(SortKey::Line) || shows(SortKey::Address)) && !lines.empty()) {
		place.file = file_number(lines.front().function);
		place.line = lines.front().line;
	}
	return place;
}

Place Places::unknown()
{
	Place place;

	if (shows(SortKey::Function))
		place.function = number(unknown_name);
	if (shows(SortKey::Inlined))
		place.inlined = number(unknown_name);
	if (shows(SortKey::Object))
		place.object = number(unknown_name);
	return place;
}

Place Places::place_of(const Sample &sample)
{
	Place place =
		sample.locations.empty() ? unknown() : look_up(profile_.locations[sample.locations.front()]);

	if (shows(SortKey::Process) || shows(SortKey::Command)) {
		const ProcessName process = process_of(sample);

		place.command = number(process.command);
		place.has_pid = shows(SortKey::Process) && process.pid;
		place.pid = place.has_pid ? *process.pid : 0;
	}
	return place;
}

std::string_view Places::build_id(uint32_t object) const
{
	const auto found = build_ids_.find(object);

	return found == build_ids_.end() ? std::string_view() : found->second;
}

} // namespace cli
