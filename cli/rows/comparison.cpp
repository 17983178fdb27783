// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/rows/comparison.h"

#include "cli/base/characters.h"
#include "cli/base/saturate.h"
#include "cli/names/bare_name.h"
#include "cli/rows/significance.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace cli {
namespace {

using Texts = std::unordered_set<std::string_view>;
using Names = std::unordered_map<std::string_view, std::string_view>;
using Shorten = std::string_view(std::string_view);

Texts texts_of(const Flat &flat, std::string_view Row::*part)
{
	Texts texts;

	for (const Row &row : flat.rows)
		texts.insert(row.*part);
	return texts;
}

/* Names that are only in @p own, by short name; an empty name if several have that short name. */
Names alone(const Texts &own, const Texts &other, Shorten *shorten)
{
	Names names;

	for (const std::string_view name : own) {
		if (other.contains(name))
			continue;

		const auto [place, fresh] = names.try_emplace(shorten(name), name);

		if (!fresh)
			place->second = {};
	}
	return names;
}

/** Maps names in the older profile to other names in the newer one with the same short name. */
Names renamed(const Flat &base, const Flat &flat, std::string_view Row::*part, Shorten *shorten)
{
	const Texts old_names = texts_of(base, part);
	const Texts new_names = texts_of(flat, part);
	const Names only_new = alone(new_names, old_names, shorten);
	Names names;

	for (const auto &[name, old_name] : alone(old_names, new_names, shorten)) {
		const auto found = only_new.find(name);

		if (!old_name.empty() && found != only_new.end() && !found->second.empty())
			names.emplace(old_name, found->second);
	}
	return names;
}

/** The newer profile's name for a name of the older one. */
std::string_view new_name(const Names &names, std::string_view old_name)
{
	const auto found = names.find(old_name);

	return found == names.end() ? old_name : found->second;
}

/** Everything that a row shows.  The hash comes first, because long names tend to begin alike. */
auto key_of(const Row &row)
{
	return std::tuple<size_t, std::string_view, std::string_view, bool, std::string_view,
			  std::string_view, int64_t, std::string_view, std::optional<int64_t>, uint64_t>(
		std::hash<std::string_view>()(row.function), row.function, row.inlined, row.is_inlined,
		row.object, base_name(row.file), row.line, row.command, row.pid, row.address);
}

using Key = decltype(key_of(Row()));

/** A row of one profile or the other. */
struct OneSide {
	Key key;
	const Row *row;
	bool is_base;
};

std::vector<OneSide> sides_of(const Flat &base, const Flat &flat)
{
	const Names objects = renamed(base, flat, &Row::object, base_name);
	const Names functions = renamed(base, flat, &Row::function, without_parameters);
	std::vector<OneSide> sides;

	for (const Row &row : flat.rows)
		sides.push_back({key_of(row), &row, false});
	for (const Row &row : base.rows) {
		Row known = row;

		known.object = new_name(objects, row.object);
		known.function = new_name(functions, row.function);
		known.inlined = new_name(functions, row.inlined);
		sides.push_back({key_of(known), &row, true});
	}
	std::stable_sort(sides.begin(), sides.end(),
			 [](const OneSide &a, const OneSide &b) { return a.key < b.key; });
	return sides;
}

void add(ComparedValue &sum, const OneSide &side, uint64_t count)
{
	uint64_t &value = side.is_base ? sum.base : sum.now;

	value = saturating_add(value, count);
}

void add(ComparedRow &sum, const OneSide &side, std::span<const CommonEvent> events)
{
	const bool any = side.row->samples || std::any_of(side.row->events.begin(), side.row->events.end(),
							  [](uint64_t count) { return count; });

	(side.is_base ? sum.in_base : sum.in_now) |= any;
	add(sum, side, side.row->samples);
	for (size_t i = 0; i < events.size(); i++)
		add(sum.events[i], side, side.row->events[side.is_base ? events[i].base : events[i].now]);
}

/** The number of events in each profile, and the number that one sample stands for. */
struct Totals {
	uint64_t base;
	uint64_t now;
	uint64_t base_period = 1;
	uint64_t period = 1;
};

uint64_t samples_of(uint64_t count, uint64_t period)
{
	return period ? count / period : 0;
}

/** The value that one sample stands for; 0 if values count neither samples nor events. */
uint64_t period_of(const Flat &flat)
{
	return flat.is_count() ? 1 : flat.period;
}

/** Sets the shares of one value in all rows, and, if it is a count, tests them. */
template <typename Part>
void compare_part(std::vector<ComparedRow> &rows, Part part, const Totals &totals, bool is_count)
{
	std::vector<ComparedValue *> tested;
	std::vector<double> values;

	for (ComparedRow &row : rows) {
		ComparedValue &one = part(row);

		one.base_percent = percent_of(one.base, totals.base);
		one.percent = percent_of(one.now, totals.now);
		if (is_count && (one.base || one.now))
			tested.push_back(&one);
	}
	for (ComparedValue *one : tested) {
		one->p =
			p_value({samples_of(one->base, totals.base_period),
				 samples_of(totals.base, totals.base_period),
				 samples_of(one->now, totals.period), samples_of(totals.now, totals.period)});
		values.push_back(one->p);
	}

	const std::vector<double> corrected = corrected_for_many(values);

	for (size_t i = 0; i < tested.size(); i++)
		tested[i]->p_corrected = corrected[i];
}

/** Copy everything but the counts from @p other, the samples, to @p one, the event they count. */
void take_shares(ComparedValue &one, const ComparedValue &other)
{
	const uint64_t base = one.base, now = one.now;

	one = other;
	one.base = base;
	one.now = now;
}

bool comes_before(const ComparedRow &a, const ComparedRow &b)
{
	const double a_size = std::abs(a.delta());
	const double b_size = std::abs(b.delta());

	if (a_size != b_size)
		return a_size > b_size;
	if (a.row.samples != b.row.samples)
		return a.row.samples > b.row.samples;

	const auto names = [](const Row &row) {
		return std::tie(row.function, row.inlined, row.object, row.command, row.pid, row.file,
				row.line, row.address);
	};

	return names(a.row) < names(b.row);
}

} // namespace

std::vector<CommonEvent> common_events(const EventColumns &base, const EventColumns &now)
{
	std::vector<CommonEvent> events;

	for (size_t i = 0; i < now.names.size(); i++) {
		const auto found = std::find(base.names.begin(), base.names.end(), now.names[i]);

		if (found != base.names.end())
			events.push_back({now.names[i], static_cast<size_t>(found - base.names.begin()), i});
	}
	return events;
}

std::vector<ComparedRow> compare(const Flat &base, const Flat &flat)
{
	const std::vector<CommonEvent> events = common_events(base.events, flat.events);
	const std::vector<OneSide> sides = sides_of(base, flat);
	std::vector<ComparedRow> rows;

	for (size_t i = 0; i < sides.size(); i++) {
		if (!i || sides[i].key != sides[i - 1].key) {
			rows.emplace_back();
			rows.back().row = *sides[i].row;
			rows.back().events.resize(events.size());
		}
		add(rows.back(), sides[i], events);
	}
	/* Leave out rows that have only events that one profile lacks: these are not compared. */
	std::erase_if(rows, [](const ComparedRow &row) {
		return !row.base && !row.now &&
		       std::none_of(row.events.begin(), row.events.end(),
				    [](const ComparedValue &one) { return one.base || one.now; });
	});
	for (ComparedRow &row : rows)
		row.row.samples = row.now;
	/* Only counts can be tested for significance: see p_value(). */
	compare_part(
		rows, [](ComparedRow &row) -> ComparedValue & { return row; },
		{base.samples, flat.samples, period_of(base), period_of(flat)},
		period_of(base) && period_of(flat));
	for (size_t i = 0; i < events.size(); i++) {
		const CommonEvent &event = events[i];

		if (event.is_first()) {
			for (ComparedRow &row : rows)
				take_shares(row.events[i], row);
			continue;
		}
		compare_part(
			rows, [i](ComparedRow &row) -> ComparedValue & { return row.events[i]; },
			{base.events.totals[event.base], flat.events.totals[event.now],
			 base.events.periods[event.base], flat.events.periods[event.now]},
			true);
	}
	std::sort(rows.begin(), rows.end(), comes_before);
	return rows;
}

std::optional<double> ComparedRatio::change() const
{
	constexpr double percent = 100;

	if (!base || !now || *base == 0)
		return std::nullopt;
	return percent * (*now / *base - 1);
}

ComparedRatio compare_ratio(const ComparedRow &row, const Ratio &ratio)
{
	const ComparedValue &above = row.events[ratio.numerator];
	const ComparedValue &below = row.events[ratio.denominator];

	return {quotient(above.base, below.base), quotient(above.now, below.now)};
}

void order_rows(std::vector<ComparedRow> &rows, const EventOrder &order)
{
	const auto by = [&](auto value_of) {
		std::stable_sort(rows.begin(), rows.end(), [&](const ComparedRow &a, const ComparedRow &b) {
			return value_of(a) > value_of(b);
		});
	};

	if (const size_t *event = std::get_if<size_t>(&order))
		by([event](const ComparedRow &row) { return std::abs(row.events[*event].delta()); });
	else
		by([&](const ComparedRow &row) {
			const std::optional<double> change =
				compare_ratio(row, std::get<Ratio>(order)).change();

			return change ? std::optional(std::abs(*change)) : std::nullopt;
		});
}

} // namespace cli
