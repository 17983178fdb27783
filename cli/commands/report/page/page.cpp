// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/report/page/page.h"

#include "cli/base/characters.h"
#include "cli/base/numbers.h"
#include "cli/base/saturate.h"
#include "cli/commands/report/notes.h"
#include "cli/commands/report/page/before.h"
#include "cli/commands/report/page/events.h"
#include "cli/commands/report/page/names.h"
#include "cli/commands/report/page/slices.h"
#include "cli/commands/report/page/source.h"
#include "cli/commands/report/page/template.h"
#include "cli/commands/report/page/tree.h"
#include "cli/profile/about.h"
#include "cli/rows/place_tree.h"
#include "cli/rows/row_cells.h"

#include <algorithm>
#include <fmt/chrono.h>
#include <map>

namespace cli {
namespace {

using Json = nlohmann::ordered_json;
using Notes = std::vector<std::string>;

/** Keep only the samples that pass the filters, so that all parts of a page show the same. */
Profile filtered(const Profile &profile, std::span<const Filter> filters)
{
	SampleFilter filter(profile, filters);
	Profile result = profile;

	result.samples.clear();
	for (const Sample &sample : profile.samples) {
		if (filter.passes(sample))
			result.samples.push_back(sample);
	}
	return result;
}

void add_lines(Notes &notes, std::string_view text)
{
	while (!text.empty()) {
		const std::string_view line = text.substr(0, text.find('\n'));

		notes.emplace_back(line);
		text.remove_prefix(std::min(line.size() + 1, text.size()));
	}
}

std::string time_text(int64_t nanos)
{
	constexpr int64_t second = 1'000'000'000;

	return nanos > 0 ? fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(time_t{nanos / second})) : "";
}

std::string lost_text(const Accounting &ticks)
{
	if (!ticks.ticks)
		return {};
	return fmt::format("{} of {} ({:.2f} %)", grouped(ticks.lost()), counted_noun(ticks.ticks, "tick"),
			   percent_of(ticks.lost(), ticks.ticks));
}

/** The targets, time, duration and settings of a recording: [name, text]. */
Json facts_json(const Report &report)
{
	const Reported &now = report.now;
	const About about = from_comments(now.profile.comments);
	Json facts = Json::array();
	const auto fact = [&](const char *name, const std::string &text) {
		if (!text.empty())
			facts.push_back({name, printable(text)});
	};

	fact("of", targets_text(about, now.profile));
	fact("begun", time_text(now.profile.time_nanos));
	fact("for", profile_duration_text(now.profile));
	fact("rate", profile_rate_text(now.profile));
	fact(now.flat.is_count() ? "samples" : "sum",
	     now.flat.is_count() ? grouped(now.flat.samples) : amount_text(now.flat.samples, now.flat));
	fact("lost", lost_text(about.accounting));
	for (const Filter &filter : report.view.filters)
		fact("filter", filter.text);
	if (report.base)
		fact("compared with", report_title(*report.base, true));
	return facts;
}

using FunctionNumbers = std::map<std::pair<std::string_view, std::string_view>, size_t>;

FunctionNumbers numbers_of(const PlaceTree &tree)
{
	FunctionNumbers numbers;

	for (size_t i = 0; i < tree.functions.size(); i++) {
		const TreeFunction &function = tree.functions[i];

		numbers.emplace(std::pair<std::string_view, std::string_view>(
					tree.objects[function.object].path, function.name),
				i);
	}
	return numbers;
}

/** The rows of a report, column by column. */
class TableWriter {
public:
	TableWriter(const Report &report, const PlaceTree &tree, HtmlNames &names, const ShownNames &shown)
		: flat_(report.now.flat), numbers_(numbers_of(tree)), names_(names), shown_(shown),
		  cells_(flat_.columns.size(), Json::array())
	{
	}

	/** A row of a comparison, which may be in the base only. */
	void add(const ComparedRow &one)
	{
		add(one.row);
		base_.push_back(html_count(one.base));
		sure_.push_back(one.significant() ? 1 : 0);
	}

	void add(const Row &row)
	{
		std::vector<Cell> cells;

		samples_.push_back(html_count(row.samples));
		add_name_cells(cells, row, flat_.columns, shown_);
		for (size_t i = 0; const Cell &cell : cells)
			cells_[i++].push_back(names_.number(std::string(cell.text).append(cell.mark)));
		functions_.push_back(function_of(row));
	}

	Json take()
	{
		Json columns = Json::array();

		for (size_t i = 0; const TableColumn &column : name_columns(flat_.columns))
			columns.push_back({{"title", column.heading}, {"cells", std::move(cells_[i++])}});

		Json table = {{"samples", std::move(samples_)},
			      {"function", std::move(functions_)},
			      {"columns", std::move(columns)}};

		if (!base_.empty()) {
			table["base"] = std::move(base_);
			table["sure"] = std::move(sure_);
		}
		return table;
	}

private:
	/** The function of a row, or -1.  A row for a line names only the innermost function. */
	[[nodiscard]] Json function_of(const Row &row) const
	{
		const auto found =
			numbers_.find({row.object, row.function.empty() ? row.inlined : row.function});

		return found == numbers_.end() ? Json(-1) : Json(found->second);
	}

	const Flat &flat_;
	const FunctionNumbers numbers_;
	HtmlNames &names_;
	const ShownNames &shown_;
	std::vector<Json> cells_;
	Json samples_ = Json::array();
	Json functions_ = Json::array();
	Json base_ = Json::array();
	Json sure_ = Json::array();
};

Json table_json(const Report &report, const PlaceTree &tree, HtmlNames &names, const ShownNames &shown_names,
		const HtmlLimits &limits, Notes &notes)
{
	TableWriter table(report, tree, names, shown_names);
	Shown shown = shown_rows(report);
	size_t taken = 0;

	for (; taken < shown.rows.size() && taken < limits.rows && names.bytes() < limits.name_bytes;
	     taken++) {
		if (report.base)
			table.add(report.compared[shown.rows[taken]]);
		else
			table.add(report.now.flat.rows[shown.rows[taken]]);
	}
	for (; taken < shown.rows.size(); taken++) {
		const size_t index = shown.rows[taken];

		shown.more++;
		if (report.base)
			shown.base_samples = saturating_add(shown.base_samples, report.compared[index].base);
		shown.samples =
			saturating_add(shown.samples, report.base ? report.compared[index].row.samples
								  : report.now.flat.rows[index].samples);
	}
	add_lines(notes, report_notes(report, shown, {}));
	return table.take();
}

/** The names of the functions in the table and in the chart. */
ShownNames shown_names(const Report &report, const PlaceTree &tree)
{
	ShownNames names(report.view.names);

	for (const Row &row : report.now.flat.rows)
		add_functions(names, row);
	for (const ComparedRow &one : report.compared)
		add_functions(names, one.row);
	for (const TreeFunction &function : tree.functions)
		names.add(function.name);
	return names;
}

std::string source_note(const HtmlSource &source, const PlaceTree &tree, const Flat &flat,
			const HtmlLimits &limits)
{
	return fmt::format(
		"annotated: the hottest {} of {}, with {}; at most {} lines and {} instructions of each",
		grouped(source.functions.size()), counted_noun(tree.functions.size(), "function"),
		share_text(source.samples, flat), grouped(limits.listed), grouped(limits.listed));
}

Json accounting_json(const Report &report)
{
	std::vector<std::string> lines = profile_accounting_lines(report.now.profile);

	if (report.base) {
		lines.emplace_back("before:");
		for (std::string &line : profile_accounting_lines(report.base->profile))
			lines.push_back(std::move(line));
	}
	return lines;
}

} // namespace

std::string report_html_data(const Report &report, const HtmlOptions &options, const HtmlLimits &limits)
{
	const Profile profile = filtered(report.now.profile, report.view.filters);
	const PlaceTree places = place_tree(profile, {});
	const ShownNames shown = shown_names(report, places);
	HtmlNames names(limits.name_columns);
	Notes notes;
	Json json;

	json["title"] = report_title(report.now, report.base.has_value());
	json["files"] = printable(files_text(report.now.files));
	json["facts"] = facts_json(report);
	json["unit"] = printable(report.now.flat.unit());
	json["samples"] = html_count(report.now.flat.samples);
	json["filtered_out"] = html_count(report.now.flat.filtered_out);
	if (report.base)
		json["base"] = html_base(report);
	json["table"] = table_json(report, places, names, shown, limits, notes);

	HtmlTree tree = html_tree(places, report.now.flat, {names, shown}, limits);
	if (report.base)
		add_before(tree, places, report);

	HtmlSource source = html_source(profile, places, options, limits);

	notes.insert(notes.end(), tree.notes.begin(), tree.notes.end());
	if (source.functions.size() < places.functions.size())
		notes.push_back(source_note(source, places, report.now.flat, limits));
	if (names.cut())
		notes.push_back(fmt::format("cut, and marked …: {} of more than {} characters",
					    counted_noun(names.cut(), "name"), grouped(limits.name_columns)));
	json["objects"] = std::move(tree.objects);
	json["functions"] = std::move(tree.functions);
	json["lines"] = std::move(tree.lines);
	json["maps"] = std::move(tree.maps);
	json["slices"] = html_slices(profile, places, json["functions"]["name"].size(), limits);
	json["sources"] = std::move(source.functions);
	json["notes"] = notes;
	json["accounting"] = accounting_json(report);
	json["shared"] = names.shared();
	json["strings"] = names.rests();
	/* All texts are printable, so they are UTF-8. */
	return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string report_html(const Report &report, const HtmlOptions &options, const HtmlLimits &limits)
{
	const std::vector<std::string> names = events_of_page(report);
	std::string all;

	if (names.empty())
		return html_page(report_html_data(report, options, limits));
	for (size_t i = 0; i < names.size(); i++)
		all += fmt::format(R"({}{{"name":{},"report":{}}})", i ? "," : "",
				   Json(printable(names[i])).dump(),
				   report_html_data(report_of_event(report, i), options, limits));
	return html_page(fmt::format(R"({{"events":[{}],"first":{}}})", all,
				     report.order ? std::get<size_t>(*report.order) : 0));
}

} // namespace cli
