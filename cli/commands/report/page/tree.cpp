// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/report/page/tree.h"

#include "cli/base/numbers.h"
#include "cli/base/saturate.h"
#include "cli/rows/address_map.h"

#include <algorithm>
#include <fmt/format.h>

namespace cli {
namespace {

using Json = nlohmann::ordered_json;

/** The samples of the elements from @p first on, which are not in the page. */
template <typename T> uint64_t samples_from(const std::vector<T> &all, size_t first)
{
	uint64_t sum = 0;

	for (size_t i = first; i < all.size(); i++)
		sum = saturating_add(sum, all[i].samples);
	return sum;
}

class Writer {
public:
	Writer(const PlaceTree &tree, const Flat &flat, TreeNames names, const HtmlLimits &limits)
		: tree_(tree), flat_(flat), names_(names.texts), shown_(names.shown), limits_(limits)
	{
	}

	HtmlTree write()
	{
		HtmlTree result;

		result.objects = objects_json();
		result.functions = functions_json();
		result.lines = lines_json();
		result.maps = maps_json();
		result.notes = std::move(notes_);
		return result;
	}

private:
	Json objects_json();
	Json functions_json();
	Json lines_json();
	Json maps_json();
	[[nodiscard]] Json map_json(size_t object) const;

	[[nodiscard]] bool has_room() const { return names_.bytes() < limits_.name_bytes; }

	/** "not in the chart: 3 objects, of 12 samples (1.20 %)" */
	template <typename T>
	void note_rest(const std::string &where, const std::string &noun, const std::vector<T> &all,
		       size_t first)
	{
		if (first < all.size())
			notes_.push_back(fmt::format("{} {}, of {}", where,
						     counted_noun(all.size() - first, noun),
						     share_text(samples_from(all, first), flat_)));
	}

	const PlaceTree &tree_;
	const Flat &flat_;
	HtmlNames &names_;
	const ShownNames &shown_;
	const HtmlLimits &limits_;
	size_t objects_ = 0; /**< the number of objects in the page */
	size_t functions_ = 0;
	std::vector<std::string> notes_;
};

Json Writer::objects_json()
{
	Json paths = Json::array();
	Json build_ids = Json::array();
	Json samples = Json::array();

	for (; objects_ < tree_.objects.size() && objects_ < limits_.objects && has_room(); objects_++) {
		const TreeObject &object = tree_.objects[objects_];

		paths.push_back(names_.number(object.path));
		build_ids.push_back(names_.number(object.build_id));
		samples.push_back(html_count(object.samples));
	}
	note_rest("not in the chart:", "object", tree_.objects, objects_);
	return {{"path", std::move(paths)},
		{"build_id", std::move(build_ids)},
		{"samples", std::move(samples)}};
}

Json Writer::functions_json()
{
	Json names = Json::array();
	Json objects = Json::array();
	Json samples = Json::array();

	for (; functions_ < tree_.functions.size() && functions_ < limits_.rows && has_room(); functions_++) {
		const TreeFunction &function = tree_.functions[functions_];

		if (function.object >= objects_)
			break;
		names.push_back(names_.number(shown_.text(function.name)));
		objects.push_back(function.object);
		samples.push_back(html_count(function.samples));
	}
	note_rest("not in the chart:", "function", tree_.functions, functions_);
	return {{"name", std::move(names)}, {"object", std::move(objects)}, {"samples", std::move(samples)}};
}

Json Writer::lines_json()
{
	Json functions = Json::array();
	Json files = Json::array();
	Json numbers = Json::array();
	Json samples = Json::array();
	size_t complete = 0;

	for (; complete < functions_ && has_room(); complete++) {
		const std::vector<LineSamples> &lines = tree_.functions[complete].lines;

		if (functions.size() + lines.size() > limits_.lines)
			break;
		for (const LineSamples &line : lines) {
			functions.push_back(complete);
			files.push_back(names_.number(line.file));
			numbers.push_back(line.line);
			samples.push_back(html_count(line.samples));
		}
	}
	note_rest("not in the chart: the lines of", "function", tree_.functions, complete);
	return {{"functions", complete},
		{"function", std::move(functions)},
		{"file", std::move(files)},
		{"line", std::move(numbers)},
		{"samples", std::move(samples)}};
}

/** Cells are [number, samples, the function with the most samples, or -1]. */
Json Writer::map_json(size_t object) const
{
	const AddressMap map = address_map(tree_.objects[object].addresses, limits_.cells);
	Json cells = Json::array();

	for (const AddressCell &cell : map.cells)
		cells.push_back({cell.number, html_count(cell.samples),
				 cell.function < functions_ ? Json(cell.function) : Json(-1)});
	return {{"start", fmt::format("{:#x}", map.start)},
		{"shift", map.shift},
		{"cells", std::move(cells)}};
}

Json Writer::maps_json()
{
	const size_t mapped = std::min(objects_, limits_.mapped);
	Json maps = Json::array();

	for (size_t i = 0; i < mapped; i++)
		maps.push_back(map_json(i));
	note_rest("not in the address maps:", "object", tree_.objects, mapped);
	return maps;
}

} // namespace

Json html_count(uint64_t samples)
{
	constexpr uint64_t most_exact = uint64_t{1} << 53;

	return samples <= most_exact ? Json(samples) : Json(std::to_string(samples));
}

HtmlTree html_tree(const PlaceTree &tree, const Flat &flat, TreeNames names, const HtmlLimits &limits)
{
	return Writer(tree, flat, names, limits).write();
}

} // namespace cli
