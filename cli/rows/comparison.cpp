// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/rows/comparison.h"

#include "cli/base/characters.h"
#include "cli/base/saturate.h"
#include "cli/rows/significance.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

namespace cli {
namespace {

using Paths = std::set<std::string_view>;
using Names = std::map<std::string_view, std::string_view>;

Paths objects_of(const Flat &flat)
{
	Paths paths;

	for (const Row &row : flat.rows)
		paths.insert(row.object);
	return paths;
}

/* Paths that only @p own has, by base name; an empty path for a base name that occurs more than once. */
Names alone(const Paths &own, const Paths &other)
{
	Names names;

	for (const std::string_view path : own) {
		if (other.contains(path))
			continue;

		const auto [place, fresh] = names.try_emplace(base_name(path), path);

		if (!fresh)
			place->second = {};
	}
	return names;
}

/** Maps paths of objects in the older profile to their different paths in the newer one. */
Names moved_objects(const Flat &base, const Flat &flat)
{
	const Paths old_paths = objects_of(base);
	const Paths new_paths = objects_of(flat);
	const Names new_names = alone(new_paths, old_paths);
	Names moved;

	for (const auto &[name, path] : alone(old_paths, new_paths)) {
		const auto found = new_names.find(name);

		if (!path.empty() && found != new_names.end() && !found->second.empty())
			moved.emplace(path, found->second);
	}
	return moved;
}

/**
 * All that a row shows, with the object's path in the newer profile.  The hash
 * comes first, because long names tend to begin alike.
 */
auto key_of(const Row &row, std::string_view object)
{
	return std::tuple<size_t, std::string_view, std::string_view, bool, std::string_view,
			  std::string_view, int64_t, std::string_view, std::optional<int64_t>, uint64_t>(
		std::hash<std::string_view>()(row.function), row.function, row.inlined, row.is_inlined,
		object, base_name(row.file), row.line, row.command, row.pid, row.address);
}

using Key = decltype(key_of(Row(), {}));

/** The samples in both profiles for one key. */
struct Pair {
	Key key;
	const Row *row;
	uint64_t base;
	uint64_t now;
};

std::vector<Pair> pairs_of(const Flat &base, const Flat &flat)
{
	const Names moved = moved_objects(base, flat);
	std::vector<Pair> pairs;
	size_t kept = 0;

	for (const Row &row : flat.rows)
		pairs.push_back({key_of(row, row.object), &row, 0, row.samples});
	for (const Row &row : base.rows) {
		const auto found = moved.find(row.object);
		const std::string_view object = found == moved.end() ? row.object : found->second;

		pairs.push_back({key_of(row, object), &row, row.samples, 0});
	}
	std::stable_sort(pairs.begin(), pairs.end(),
			 [](const Pair &a, const Pair &b) { return a.key < b.key; });
	for (const Pair &pair : pairs) {
		if (kept && pairs[kept - 1].key == pair.key) {
			pairs[kept - 1].base = saturating_add(pairs[kept - 1].base, pair.base);
			pairs[kept - 1].now = saturating_add(pairs[kept - 1].now, pair.now);
		} else {
			pairs[kept++] = pair;
		}
	}
	pairs.erase(pairs.begin() + static_cast<std::ptrdiff_t>(kept), pairs.end());
	return pairs;
}

void test(std::vector<ComparedRow> &rows, uint64_t base_total, uint64_t total)
{
	std::vector<double> values;

	for (ComparedRow &row : rows) {
		row.p = p_value({row.base, base_total, row.row.samples, total});
		values.push_back(row.p);
	}

	const std::vector<double> corrected = corrected_for_many(values);

	for (size_t i = 0; i < rows.size(); i++)
		rows[i].p_corrected = corrected[i];
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

std::vector<ComparedRow> compare(const Flat &base, const Flat &flat)
{
	std::vector<ComparedRow> rows;

	for (const Pair &pair : pairs_of(base, flat)) {
		ComparedRow one;

		one.row = *pair.row;
		one.row.samples = pair.now;
		one.base = pair.base;
		one.base_percent = percent_of(pair.base, base.samples);
		one.percent = percent_of(pair.now, flat.samples);
		rows.push_back(std::move(one));
	}
	/* The test is only valid for counts. */
	if (base.is_count() && flat.is_count())
		test(rows, base.samples, flat.samples);
	std::sort(rows.begin(), rows.end(), comes_before);
	return rows;
}

} // namespace cli
