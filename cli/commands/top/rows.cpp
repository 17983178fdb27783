// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/top/rows.h"

#include "cli/base/saturate.h"
#include "cli/rows/events.h"
#include "cli/rows/row_names.h"

#include <algorithm>
#include <array>

namespace cli {
namespace {

/** The values to count: samples; in a profile of events, each event's count. */
std::vector<size_t> counted_values(const Profile &profile)
{
	std::vector<size_t> events = events_of(profile);

	if (events.empty())
		events.push_back(is_of_events(profile) ? first_event : samples_index(profile));
	return events;
}

void add_to(TopAmount &sum, const TopAmount &more)
{
	sum.samples = saturating_add(sum.samples, more.samples);
	sum.fresh = saturating_add(sum.fresh, more.fresh);
}

} // namespace

std::string_view top_order_name(TopOrder order)
{
	switch (order) {
	case TopOrder::Samples: return "samples";
	case TopOrder::Delta: return "delta";
	case TopOrder::Name: return "name";
	case TopOrder::Object: break;
	}
	return "object";
}

TopRows::TopRows(const Profile &profile, View view, std::span<const Change> changes, size_t leading)
	: profile_(profile), view_(std::move(view)), values_(counted_values(profile)), leading_(leading),
	  columns_(columns_for(view_.keys)), places_(profile, columns_), filter_(profile, view_.filters),
	  commands_(profile, std::array{SortKey::Command}), totals_(values_.size()),
	  filtered_out_(values_.size())
{
	for (const size_t value : values_)
		types_.push_back(value < profile.sample_types.size() ? profile.sample_types[value]
								     : samples_type(profile));
	for (size_t i = 0; i < profile.samples.size(); i++) {
		for (size_t value = 0; value < values_.size(); value++) {
			if (const uint64_t samples = samples_of(profile.samples[i], values_[value]))
				count(i, value, {samples, 0});
		}
	}
	for (const Change &change : changes)
		count(change.sample, change.value - values_.front(), {0, change.amount});
}

void TopRows::add(std::span<const Change> changes)
{
	for (const size_t amount : fresh_)
		amounts_[amount].fresh = 0;
	fresh_.clear();
	for (TopAmount &total : totals_)
		total.fresh = 0;
	for (const Change &change : changes)
		count(change.sample, change.value - values_.front(), {change.amount, change.amount});
}

/** The row of a sample, as an index in rows_; nowhere if a filter leaves it out. */
uint32_t TopRows::row_of(size_t sample)
{
	if (sample >= by_sample_.size())
		by_sample_.resize(profile_.samples.size(), unknown);
	if (by_sample_[sample] != unknown)
		return by_sample_[sample];
	if (!filter_.passes(profile_.samples[sample]))
		return by_sample_[sample] = nowhere;

	const Place place = places_.place_of(profile_.samples[sample]);
	const auto [row, fresh] = by_place_.try_emplace(place, static_cast<uint32_t>(rows_.size()));

	if (fresh) {
		rows_.push_back({place});
		amounts_.resize(amounts_.size() + values_.size());
	}
	part_by_sample_.resize(by_sample_.size());
	part_by_sample_[sample] = part_of(sample, row->second);
	return by_sample_[sample] = row->second;
}

/** The index in parts_ of @p row's part for the sample's program; adds the part if it is new. */
uint32_t TopRows::part_of(size_t sample, uint32_t row)
{
	const uint32_t command = commands_.place_of(profile_.samples[sample]).command;
	const auto [part, fresh] =
		by_command_.try_emplace({row, command}, static_cast<uint32_t>(parts_.size()));

	if (fresh)
		parts_.push_back({row, command});
	if (!commands_.text(command).empty()) {
		several_commands_ |= known_command_ && command != *known_command_;
		known_command_ = command;
	}
	return part->second;
}

void TopRows::count(size_t sample, size_t value, TopAmount more)
{
	const uint32_t number = row_of(sample);

	add_to(totals_[value], more);
	if (number == nowhere) {
		filtered_out_[value] = saturating_add(filtered_out_[value], more.samples);
		return;
	}

	TopRow &row = rows_[number];
	const size_t index = number * values_.size() + value;

	if (!value) {
		uint64_t &samples = parts_[part_by_sample_[sample]].samples;

		samples = saturating_add(samples, more.samples);
	}
	shown_ += !row.any && more.samples;
	row.any = row.any || more.samples;
	if (more.fresh && !amounts_[index].fresh)
		fresh_.push_back(index);
	add_to(amounts_[index], more);
}

Row TopRows::names(size_t row) const
{
	RowNames names(*places_.store(), row_names_max);

	return cli::row_of(places_, rows_[row].place, amount(row).samples, names);
}

std::vector<TopCommands> TopRows::commands(std::span<const size_t> some) const
{
	struct Sum {
		uint64_t samples = 0;
		size_t parts = 0;
		uint32_t command = 0;
	};
	std::vector<Sum> sums(rows_.size());
	std::vector<TopCommands> commands;

	for (const Part &part : parts_) {
		Sum &sum = sums[part.row];

		if (!sum.parts++ || part.samples > sum.samples) {
			sum.samples = part.samples;
			sum.command = part.command;
		}
	}
	for (const size_t row : some)
		commands.push_back({commands_.text(sums[row].command), sums[row].parts - 1});
	return commands;
}

/** Compares names column by column, from left to right. */
int TopRows::compare_names(const TopRow &a, const TopRow &b) const
{
	for (const auto name :
	     {&Place::function, &Place::inlined, &Place::object, &Place::command, &Place::file}) {
		if (a.place.*name == b.place.*name)
			continue;
		if (const int order = places_.text(a.place.*name).compare(places_.text(b.place.*name)))
			return order;
	}
	return a.place < b.place ? -1 : b.place < a.place;
}

/* In a tie, the row found first comes first: comparing names would cost more than all the rest. */
bool TopRows::precedes(size_t first, size_t second, TopOrder order) const
{
	const TopRow &a = rows_[first];
	const TopRow &b = rows_[second];
	const TopAmount &of_a = amount(first);
	const TopAmount &of_b = amount(second);

	if (order == TopOrder::Delta && of_a.fresh != of_b.fresh)
		return of_a.fresh > of_b.fresh;
	if (order == TopOrder::Object && a.place.object != b.place.object)
		return places_.text(a.place.object) < places_.text(b.place.object);
	if (order == TopOrder::Name)
		return compare_names(a, b) < 0;
	return of_a.samples != of_b.samples ? of_a.samples > of_b.samples : first < second;
}

std::vector<size_t> TopRows::first(size_t most, TopOrder order, bool reversed) const
{
	std::vector<size_t> some;

	some.reserve(rows_.size());
	for (size_t i = 0; i < rows_.size(); i++) {
		if (rows_[i].any)
			some.push_back(i);
	}

	const size_t count = std::min(most, some.size());

	std::partial_sort(
		some.begin(), some.begin() + static_cast<ptrdiff_t>(count), some.end(),
		[&](size_t a, size_t b) { return reversed ? precedes(b, a, order) : precedes(a, b, order); });
	some.resize(count);
	return some;
}

size_t TopRows::before(size_t row, TopOrder order, bool reversed) const
{
	size_t count = 0;

	for (size_t i = 0; i < rows_.size(); i++)
		count += rows_[i].any && (reversed ? precedes(row, i, order) : precedes(i, row, order));
	return count;
}

} // namespace cli
