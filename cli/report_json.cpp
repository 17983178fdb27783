// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/report.h"

#include <algorithm>
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
	ticks["forks_lost"] = accounting.forks_lost;
	return ticks;
}

Json row_json(const Row &row, By by, uint64_t sum, uint64_t total)
{
	Json json = {{"samples", row.samples},
		     {"percent", percent_of(row.samples, total)},
		     {"cumulative_percent", percent_of(sum, total)}};

	if (by == By::Address)
		json["address"] = fmt::format("{:#x}", row.address);
	if (by != By::Object)
		json["function"] = row.function;
	json["object"] = row.object;
	json["build_id"] = row.build_id;
	if (by == By::Address && row.line) {
		json["file"] = row.file;
		json["line"] = row.line;
	}
	return json;
}

Json rows_json(const Flat &flat, size_t most)
{
	Json rows = Json::array();
	uint64_t sum = 0;

	for (const Row &row : flat.rows) {
		if (rows.size() == most)
			break;
		sum += row.samples;
		rows.push_back(row_json(row, flat.by, sum, flat.samples));
	}
	return rows;
}

} // namespace

std::string report_json(const Profile &profile, const Flat &flat, const ReportStyle &style)
{
	const About about = from_comments(profile.comments);
	Json json;

	json["file"] = style.file;
	json["profil_version"] = about.version;
	json["time_ns"] = profile.time_nanos;
	json["duration_ns"] = profile.duration_nanos;
	json["period_ns"] = profile.period;
	json["targets"] = about.targets;
	json["processes"] = about.processes;
	json["granularity"] = about.granularity;
	json["samples"] = flat.samples;
	json["by"] = by_name(flat.by);
	json["rows"] = rows_json(flat, style.rows.value_or(flat.rows.size()));
	json["ticks"] = ticks_json(about.accounting);
	/* Names in foreign files need not be UTF-8; JSON must. */
	return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace cli
