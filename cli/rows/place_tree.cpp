// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/rows/place_tree.h"

#include "cli/base/saturate.h"
#include "cli/rows/flat.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace cli {
namespace {

using Rows = std::span<const Row *const>;

/** Sorts by samples, most first, then by name. */
template <typename T, typename Name> void sort_by_samples(std::vector<T> &all, Name name)
{
	std::sort(all.begin(), all.end(), [&](const T &a, const T &b) {
		return a.samples != b.samples ? a.samples > b.samples : name(a) < name(b);
	});
}

/** Call @p take with each run of rows for which @p key is the same. */
template <typename Key, typename Take> void for_each_run(Rows rows, Key key, Take take)
{
	while (!rows.empty()) {
		const auto end = std::find_if(rows.begin(), rows.end(), [&](const Row *row) {
			return key(*row) != key(*rows.front());
		});
		const auto length = static_cast<size_t>(end - rows.begin());

		take(rows.first(length));
		rows = rows.subspan(length);
	}
}

uint64_t sum_of(Rows rows)
{
	return std::accumulate(rows.begin(), rows.end(), uint64_t{0}, [](uint64_t sum, const Row *row) {
		return saturating_add(sum, row->samples);
	});
}

std::vector<LineSamples> lines_of(Rows rows)
{
	const auto key = [](const Row &row) { return std::tie(row.file, row.line); };
	std::vector<const Row *> sorted;
	std::vector<LineSamples> lines;

	std::copy_if(rows.begin(), rows.end(), std::back_inserter(sorted),
		     [](const Row *row) { return row->line > 0; });
	std::sort(sorted.begin(), sorted.end(),
		  [&](const Row *a, const Row *b) { return key(*a) < key(*b); });
	for_each_run(sorted, key, [&](Rows run) {
		lines.push_back({std::string(run.front()->file), run.front()->line, sum_of(run)});
	});
	sort_by_samples(lines, [](const LineSamples &one) { return std::tie(one.file, one.line); });
	return lines;
}

/** A function with its rows, before the index of its object is known. */
struct Run {
	std::string_view object;
	std::string_view name;
	uint64_t samples = 0;
	Rows rows;
};

std::vector<Run> functions_in(Rows rows)
{
	std::vector<Run> runs;

	for_each_run(
		rows, [](const Row &row) { return std::tie(row.object, row.function); },
		[&](Rows run) {
			runs.push_back({run.front()->object, run.front()->function, sum_of(run), run});
		});
	sort_by_samples(runs, [](const Run &run) { return std::tie(run.name, run.object); });
	return runs;
}

std::vector<TreeObject> objects_in(Rows rows)
{
	std::vector<TreeObject> objects;

	for_each_run(
		rows, [](const Row &row) { return row.object; },
		[&](Rows run) {
			objects.push_back({std::string(run.front()->object),
					   std::string(run.front()->build_id),
					   sum_of(run),
					   {},
					   {}});
		});
	sort_by_samples(objects, [](const TreeObject &object) -> const std::string & { return object.path; });
	return objects;
}

} // namespace

PlaceTree place_tree(const Profile &profile, std::span<const Filter> filters)
{
	const Flat flat = flatten(profile, {{SortKey::Address}, {filters.begin(), filters.end()}});
	std::vector<const Row *> rows;
	PlaceTree tree;

	for (const Row &row : flat.rows)
		rows.push_back(&row);
	std::sort(rows.begin(), rows.end(), [](const Row *a, const Row *b) {
		return std::tie(a->object, a->function, a->address) <
		       std::tie(b->object, b->function, b->address);
	});
	tree.objects = objects_in(rows);

	std::map<std::string_view, size_t> numbers;

	for (size_t i = 0; i < tree.objects.size(); i++)
		numbers.emplace(tree.objects[i].path, i);
	for (const Run &run : functions_in(rows)) {
		const size_t object = numbers.at(run.object);
		TreeObject &in = tree.objects[object];

		in.functions.push_back(tree.functions.size());
		for (const Row *row : run.rows)
			in.addresses.push_back({row->address, row->samples, tree.functions.size()});
		tree.functions.push_back({std::string(run.name), object, run.samples, lines_of(run.rows)});
	}
	for (TreeObject &object : tree.objects)
		std::sort(object.addresses.begin(), object.addresses.end(),
			  [](const AddressSamples &a, const AddressSamples &b) {
				  return std::tie(a.address, a.function) < std::tie(b.address, b.function);
			  });
	return tree;
}

} // namespace cli
