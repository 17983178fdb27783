// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/rows/flat.h"

#include "cli/base/characters.h"
#include "cli/base/numbers.h"
#include "cli/base/saturate.h"
#include "cli/rows/event_match.h"
#include "cli/rows/places.h"
#include "cli/rows/row_names.h"
#include "cli/rows/row_order.h"

#include <algorithm>
#include <fmt/format.h>

namespace cli {
namespace {

void add_to(PlaceSamples &sum, const PlaceSamples &one, EventColumns &events)
{
	sum.samples = saturating_add(sum.samples, one.samples);
	for (size_t event = 0; event < events.names.size(); event++) {
		uint64_t &value = (*events.values)[sum.values + event];

		value = saturating_add(value, (*events.values)[one.values + event]);
	}
}

/* A recording's samples are sorted by address, so equal places often follow each other. */
void append(std::vector<PlaceSamples> &counts, const PlaceSamples &one, EventColumns &events)
{
	if (counts.empty() || counts.back().place != one.place) {
		counts.push_back(one);
		return;
	}
	add_to(counts.back(), one, events);
	events.values->resize(one.values);
}

/* Sorts, because a hostile file could make its places collide in a hash table. */
void add_up(std::vector<PlaceSamples> &counts, EventColumns &events)
{
	size_t kept = 0;

	const auto before = [](const PlaceSamples &a, const PlaceSamples &b) { return a.place < b.place; };

	/* Places are usually in order already. */
	if (!std::is_sorted(counts.begin(), counts.end(), before))
		std::sort(counts.begin(), counts.end(), before);
	for (const PlaceSamples &one : counts) {
		if (!kept || counts[kept - 1].place != one.place)
			counts[kept++] = one;
		else
			add_to(counts[kept - 1], one, events);
	}
	counts.resize(kept);
}

bool has_event(const Sample &sample, std::span<const size_t> events)
{
	return std::any_of(events.begin(), events.end(),
			   [&](size_t event) { return samples_of(sample, event) > 0; });
}

void add_totals(EventColumns &columns, const Sample &sample, std::span<const size_t> events)
{
	for (size_t i = 0; i < events.size(); i++)
		columns.totals[i] = saturating_add(columns.totals[i], samples_of(sample, events[i]));
}

/** Append the values of a sample's events.  @return the index of the first value. */
size_t add_values(EventColumns &columns, const Sample &sample, std::span<const size_t> events)
{
	const size_t first = columns.values->size();

	for (const size_t event : events)
		columns.values->push_back(samples_of(sample, event));
	return first;
}

/* A filter can also match a function that is inlined at a place. */
bool needs_lines(const Filter &filter)
{
	return filter.field == Filter::Field::Function || filter.field == Filter::Field::File;
}

} // namespace

bool shows_lines(const View &view)
{
	return has_key(view.keys, SortKey::Inlined) || has_key(view.keys, SortKey::Line) ||
	       has_key(view.keys, SortKey::Address) ||
	       std::any_of(view.filters.begin(), view.filters.end(), needs_lines);
}

Row row_of(const Places &places, const Place &place, uint64_t samples, RowNames &names)
{
	const auto name = [&](uint32_t number) { return names.limited(places.text(number)); };
	Row row;

	row.samples = samples;
	row.function = name(place.function);
	row.inlined = name(place.inlined);
	row.is_inlined = place.is_inlined;
	row.object = name(place.object);
	row.build_id = names.limited(places.build_id(place.object));
	row.address = place.address;
	row.file = name(place.file);
	row.line = place.line;
	row.command = name(place.command);
	if (place.has_pid)
		row.pid = place.pid;
	return row;
}

std::string amount_text(uint64_t samples, const ValueType &type)
{
	return is_count(type) ? counted_noun(samples, "sample")
			      : fmt::format("{} {}", grouped(samples), unit_of(type));
}

std::string amount_text(uint64_t samples, const Flat &flat)
{
	return amount_text(samples, flat.type);
}

std::string total_text(const Flat &flat)
{
	std::vector<std::string> counts;

	if (flat.events.names.empty())
		return amount_text(flat.samples, flat);
	for (size_t event = 0; event < flat.events.names.size(); event++)
		counts.push_back(grouped(flat.events.totals[event]) + ' ' + flat.events.names[event]);
	return names_text(counts);
}

std::string share_text(uint64_t samples, uint64_t total, const ValueType &type)
{
	return fmt::format("{} ({:.2f} %)", printable(amount_text(samples, type)),
			   percent_of(samples, total));
}

std::string share_text(uint64_t samples, const Flat &flat)
{
	return share_text(samples, flat.samples, flat.type);
}

ValueType samples_type(const Profile &profile)
{
	const size_t index = samples_index(profile);

	return index < profile.sample_types.size() ? profile.sample_types[index]
						   : ValueType{"samples", "count"};
}

double percent_of(uint64_t samples, uint64_t total)
{
	/* With the division first, the result is at most 100. */
	return total ? 100.0 * (static_cast<double>(samples) / static_cast<double>(total)) : 0;
}

Flat flatten(const Profile &profile, const View &view)
{
	const size_t index = samples_index(profile);
	const std::vector<size_t> events = events_of(profile);
	SampleFilter filter(profile, view.filters);
	Flat flat;
	std::vector<PlaceSamples> counts;

	flat.type = samples_type(profile);
	flat.keys = view.keys;
	flat.columns = columns_for(view.keys);
	flat.events.names = event_names_of(profile);
	if (!events.empty())
		flat.events.periods = event_periods(profile);
	flat.events.totals.resize(events.size());
	flat.events.values = std::make_shared<std::vector<uint64_t>>();

	Places places(profile, flat.columns);

	counts.reserve(profile.samples.size());
	for (const Sample &sample : profile.samples) {
		const uint64_t samples = samples_of(sample, index);

		if (!samples && !has_event(sample, events))
			continue;
		add_totals(flat.events, sample, events);
		flat.saturated |= samples > UINT64_MAX - flat.samples;
		flat.samples = saturating_add(flat.samples, samples);
		if (filter.passes(sample))
			append(counts,
			       {places.place_of(sample), samples, add_values(flat.events, sample, events)},
			       flat.events);
		else
			flat.filtered_out = saturating_add(flat.filtered_out, samples);
	}
	add_up(counts, flat.events);
	flat.rows.reserve(counts.size());

	RowNames names(*places.store(), row_names_max);

	for (const size_t row : row_order(places, counts)) {
		flat.rows.push_back(row_of(places, counts[row].place, counts[row].samples, names));
		if (!events.empty())
			flat.rows.back().events =
				std::span(*flat.events.values).subspan(counts[row].values, events.size());
	}
	flat.texts = places.store();
	return flat;
}

} // namespace cli
