// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/report/page/before.h"

#include "cli/base/characters.h"
#include "cli/commands/report/notes.h"
#include "cli/rows/comparison.h"

#include <functional>
#include <map>
#include <utility>

namespace cli {
namespace {

using Json = nlohmann::ordered_json;
/** An object's path, and a function's name; the name is empty for the object itself. */
using Key = std::pair<std::string_view, std::string_view>;

/** A comparison by keys other than the report's; it finds rows by object and function. */
class Compared {
public:
	Compared(const Report &report, std::vector<SortKey> keys)
	{
		View view = report.view;

		view.keys = std::move(keys);
		base_ = flatten(report.base->profile, view);
		now_ = flatten(report.now.profile, view);
		base_.period = report.base->flat.period;
		now_.period = report.now.flat.period;
		rows_ = compare(base_, now_);
		for (const ComparedRow &one : rows_)
			by_key_.emplace(Key(one.row.object, one.row.function), &one);
	}

	/** Add the columns "base" and "sure", with @p count rows, to a table of the page. */
	void add(Json &table, size_t count, const std::function<Key(size_t)> &key_of) const
	{
		Json base = Json::array(), sure = Json::array();

		for (size_t i = 0; i < count; i++) {
			const auto found = by_key_.find(key_of(i));
			const bool known = found != by_key_.end();

			base.push_back(html_count(known ? found->second->base : 0));
			sure.push_back(known && found->second->significant() ? 1 : 0);
		}
		table["base"] = std::move(base);
		table["sure"] = std::move(sure);
	}

private:
	Flat base_; /**< base_ and now_ own the texts of the rows */
	Flat now_;
	std::vector<ComparedRow> rows_;
	std::map<Key, const ComparedRow *> by_key_;
};

} // namespace

Json html_base(const Report &report)
{
	return {{"title", report_title(*report.base, true)},
		{"files", printable(files_text(report.base->files))},
		{"samples", html_count(report.base->flat.samples)}};
}

void add_before(HtmlTree &tree, const PlaceTree &places, const Report &report)
{
	const Compared objects(report, {SortKey::Object});
	const Compared functions(report, {SortKey::Object, SortKey::Function});

	objects.add(tree.objects, tree.objects["path"].size(),
		    [&](size_t i) { return Key(places.objects[i].path, {}); });
	functions.add(tree.functions, tree.functions["name"].size(), [&](size_t i) {
		const TreeFunction &function = places.functions[i];

		return Key(places.objects[function.object].path, function.name);
	});
}

} // namespace cli
