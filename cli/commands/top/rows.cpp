// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/top/rows.h"

#include "cli/base/saturate.h"
#include "cli/rows/row_names.h"

#include <algorithm>

namespace cli {

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

TopRows::TopRows(const Profile &profile, View view, std::span<const Change> changes)
	: profile_(profile), view_(std::move(view)), type_(samples_type(profile)),
	  columns_(columns_for(view_.keys)), places_(profile, columns_), filter_(profile, view_.filters)
{
	const size_t index = samples_index(profile);

	for (size_t i = 0; i < profile.samples.size(); i++) {
		if (const uint64_t samples = samples_of(profile.samples[i], index))
			count(i, samples, 0);
	}
	for (const Change &change : changes)
		count(change.sample, 0, change.samples);
}

void TopRows::add(std::span<const Change> changes)
{
	for (const uint32_t row : fresh_rows_)
		rows_[row].fresh = 0;
	fresh_rows_.clear();
	fresh_ = 0;
	for (const Change &change : changes)
		count(change.sample, change.samples, change.samples);
}

/** The number of the row that a sample is in, or nowhere. */
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

	if (fresh)
		rows_.push_back({place});
	return by_sample_[sample] = row->second;
}

void TopRows::count(size_t sample, uint64_t samples, uint64_t fresh)
{
	const uint32_t number = row_of(sample);

	samples_ = saturating_add(samples_, samples);
	fresh_ = saturating_add(fresh_, fresh);
	if (number == nowhere) {
		filtered_out_ = saturating_add(filtered_out_, samples);
		return;
	}

	TopRow &row = rows_[number];

	shown_ += !row.samples && samples;
	row.samples = saturating_add(row.samples, samples);
	if (fresh && !row.fresh)
		fresh_rows_.push_back(number);
	row.fresh = saturating_add(row.fresh, fresh);
}

Row TopRows::names(size_t row) const
{
	RowNames names(*places_.store(), row_names_max);

	return cli::row_of(places_, rows_[row].place, rows_[row].samples, names);
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

/* Ties go to the row found first: comparing names would cost more than all the rest. */
bool TopRows::precedes(size_t first, size_t second, TopOrder order) const
{
	const TopRow &a = rows_[first];
	const TopRow &b = rows_[second];

	if (order == TopOrder::Delta && a.fresh != b.fresh)
		return a.fresh > b.fresh;
	if (order == TopOrder::Object && a.place.object != b.place.object)
		return places_.text(a.place.object) < places_.text(b.place.object);
	if (order == TopOrder::Name)
		return compare_names(a, b) < 0;
	return a.samples != b.samples ? a.samples > b.samples : first < second;
}

std::vector<size_t> TopRows::first(size_t most, TopOrder order, bool reversed) const
{
	std::vector<size_t> some;

	some.reserve(rows_.size());
	for (size_t i = 0; i < rows_.size(); i++) {
		if (rows_[i].samples)
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
		count += rows_[i].samples && (reversed ? precedes(row, i, order) : precedes(i, row, order));
	return count;
}

} // namespace cli
