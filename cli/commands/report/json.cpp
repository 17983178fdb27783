// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/saturate.h"
#include "cli/commands/report/report.h"
#include "cli/profile/about.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cli {
namespace {

using Json = nlohmann::ordered_json;

Json ticks_json(const Accounting &accounting)
{
	Json ticks = {{"total", accounting.ticks}};

	for (const Cause &cause : all_causes())
		ticks[std::string(cause.key)] = accounting.*cause.member;
	ticks["lost_unowned"] = accounting.lost_unowned;
	ticks["forks_lost"] = accounting.forks_lost;
	return ticks;
}

/** The facts that a profile contains about itself, and its sums. */
void add_profile(Json &json, const Reported &one)
{
	const About about = from_comments(one.profile.comments);

	json["file"] = files_text(one.files);
	json["files"] = one.files;
	json["profil_version"] = about.version;
	json["time_ns"] = one.profile.time_nanos;
	json["duration_ns"] = one.profile.duration_nanos;
	json["period_ns"] = one.profile.period_type.unit == "nanoseconds" ? one.profile.period : 0;
	if (is_of_events(one.profile))
		json["event"] = {{"name", one.profile.period_type.type}, {"period", one.profile.period}};
	for (size_t i = 0; i < one.flat.events.names.size(); i++)
		json["events"][one.flat.events.names[i]] = one.flat.events.totals[i];
	json["targets"] = about.targets;
	json["processes"] = about.processes;
	json["unit"] = one.flat.type.unit;
	json["value"] = one.flat.type.type;
	json["samples"] = one.flat.samples;
	json["samples_saturated"] = one.flat.saturated;
	json["samples_filtered_out"] = one.flat.filtered_out;
	json["ticks"] = ticks_json(about.accounting);
	if (about.accounting.cpu_ms)
		json["cpu_time"] = {{"total_ms", about.accounting.cpu_ms},
				    {"idle_ms", about.accounting.idle_ms}};
	for (const ThreadTotal &thread : about.threads)
		json["threads"].push_back(
			{{"tid", thread.tid}, {"name", thread.name}, {"samples", thread.samples}});
}

void add_line(Json &json, const Row &row)
{
	if (row.file.empty() && !row.line)
		return;
	json["file"] = row.file;
	json["line"] = row.line;
}

void add_function(Json &json, const char *key, std::string_view name)
{
	json[key] = name;
}

void add_names(Json &json, const Row &row, std::span<const SortKey> columns)
{
	for (const SortKey column : columns) {
		switch (column) {
		case SortKey::Function: add_function(json, "function", row.function); break;
		case SortKey::Inlined:
			add_function(json, "inlined_function", row.inlined);
			json["inlined"] = row.is_inlined;
			break;
		case SortKey::Line: add_line(json, row); break;
		case SortKey::Object:
			json["object"] = row.object;
			json["build_id"] = row.build_id;
			break;
		case SortKey::Process:
			json["process"] = row.command;
			if (row.pid)
				json["pid"] = *row.pid;
			break;
		case SortKey::Command: json["process"] = row.command; break;
		case SortKey::Address:
			json["address"] = fmt::format("{:#x}", row.address);
			add_line(json, row);
			break;
		}
	}
}

/** Adds the count of each event, if the profile has several, and ratios. */
void add_events(Json &json, std::span<const uint64_t> values, const Report &report)
{
	const std::vector<std::string> &names = report.now.flat.events.names;

	for (size_t i = 0; i < values.size(); i++)
		json["events"][names[i]] = values[i];
	for (const Ratio &ratio : report.ratios) {
		if (const std::optional<double> value = ratio_of(ratio, values))
			json["ratios"][ratio.name] = *value;
	}
}

Json flat_rows(const Report &report, const Shown &shown)
{
	const Flat &flat = report.now.flat;
	Json rows = Json::array();
	const std::optional<double> seconds = sample_seconds(report.now);
	uint64_t sum = 0;

	for (const size_t index : shown.rows) {
		const Row &row = flat.rows[index];
		Json json;

		sum = saturating_add(sum, row.samples);
		json["samples"] = row.samples;
		if (seconds)
			json["seconds"] = static_cast<double>(row.samples) * *seconds;
		json["percent"] = percent_of(row.samples, flat.samples);
		json["cumulative_percent"] = percent_of(sum, flat.samples);
		add_events(json, row.events, report);
		add_names(json, row, flat.columns);
		rows.push_back(std::move(json));
	}
	return rows;
}

Json compared_event(const ComparedValue &one)
{
	return {{"count", one.now},
		{"percent", one.percent},
		{"base_count", one.base},
		{"base_percent", one.base_percent},
		{"delta", one.delta()},
		{"p", one.p},
		{"p_corrected", one.p_corrected},
		{"significant", one.significant()}};
}

/** Leaves out values that are unknown because a denominator is 0. */
Json compared_ratio(const ComparedRatio &ratio)
{
	Json json = Json::object();

	if (ratio.now)
		json["value"] = *ratio.now;
	if (ratio.base)
		json["base_value"] = *ratio.base;
	if (const std::optional<double> change = ratio.change())
		json["change_percent"] = *change;
	return json;
}

Json compared_rows(const Report &report, const Shown &shown)
{
	const std::vector<CommonEvent> events = common_events(report);
	Json rows = Json::array();

	for (const size_t index : shown.rows) {
		const ComparedRow &one = report.compared[index];
		Json json;

		json["samples"] = one.row.samples;
		json["percent"] = one.percent;
		json["base_samples"] = one.base;
		json["base_percent"] = one.base_percent;
		json["delta"] = one.delta();
		json["p"] = one.p;
		json["p_corrected"] = one.p_corrected;
		json["significant"] = one.significant();
		for (size_t i = 0; i < events.size(); i++)
			json["events"][events[i].name] = compared_event(one.events[i]);
		for (const Ratio &ratio : report.ratios)
			json["ratios"][ratio.name] = compared_ratio(compare_ratio(one, ratio));
		add_names(json, one.row, report.now.flat.columns);
		rows.push_back(std::move(json));
	}
	return rows;
}

/** Events that only one of the profiles has. */
void add_not_compared(Json &json, const EventMatch &events)
{
	for (const std::string &name : events.base_only)
		json["not_compared"].push_back({{"event", name}, {"only_in", "base"}});
	for (const std::string &name : events.now_only)
		json["not_compared"].push_back({{"event", name}, {"only_in", "new"}});
}

} // namespace

std::string report_json(const Report &report)
{
	const Shown shown = shown_rows(report);
	Json json = {{"schema", 1}};

	add_profile(json, report.now);
	json["by"] = sort_keys_text(report.view.keys);
	json["sort"] = Json::array();
	for (const SortKey key : report.view.keys)
		json["sort"].push_back(sort_key_name(key));
	json["filters"] = Json::array();
	for (const Filter &filter : report.view.filters)
		json["filters"].push_back(filter.text);
	if (report.base)
		add_profile(json["base"], *report.base);
	add_not_compared(json, report.events);
	json["rows"] = report.base ? compared_rows(report, shown) : flat_rows(report, shown);
	json["not_shown"] = {{"rows", shown.more}, {"samples", shown.samples}};
	if (report.base)
		json["not_shown"]["base_samples"] = shown.base_samples;
	/* Names in files from other tools need not be UTF-8; JSON must be. */
	return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace cli
