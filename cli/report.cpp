// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/report.h"

#include "cli/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace cli {
namespace {

constexpr char unknown_object[] = "[unknown]";

/** The row to which a sample at this location belongs, without samples yet. */
Row row_of(const Profile &profile, const Location &location)
{
	const ProfileMapping *mapping = location.mapping ? &profile.mappings[*location.mapping] : nullptr;
	Row row;

	row.object = mapping ? mapping->filename : unknown_object;
	row.build_id = mapping ? mapping->build_id : "";
	row.address = location.address;
	if (!location.lines.empty()) {
		/* The function that has a symbol; those inlined in it come before. */
		row.function = profile.functions[location.lines.back().function].name;
		row.file = profile.functions[location.lines.front().function].filename;
		row.line = location.lines.front().line;
	}
	if (row.function.empty() && mapping)
		row.function = fmt::format("{}+{:#x}", base_name(row.object), location.address);
	else if (row.function.empty())
		row.function = fmt::format("{:#x}", location.address);
	return row;
}

using Key = std::tuple<std::string, std::string, uint64_t>;

Key key_of(const Row &row, By by)
{
	return {row.object, by == By::Object ? "" : row.function, by == By::Address ? row.address : 0};
}

bool comes_before(const Row &a, const Row &b)
{
	return std::tie(b.samples, a.function, a.object, a.address) <
	       std::tie(a.samples, b.function, b.object, b.address);
}

} // namespace

double percent_of(uint64_t samples, uint64_t total)
{
	return total ? 100.0 * static_cast<double>(samples) / static_cast<double>(total) : 0;
}

const char *by_name(By by)
{
	switch (by) {
	case By::Object: return "object";
	case By::Address: return "address";
	default: return "function";
	}
}

Flat flatten(const Profile &profile, By by)
{
	const size_t index = samples_index(profile);
	std::map<Key, Row> rows;
	Flat flat;

	flat.by = by;
	for (const Sample &sample : profile.samples) {
		const uint64_t samples = samples_of(sample, index);

		if (sample.locations.empty() || !samples)
			continue;

		Row row = row_of(profile, profile.locations[sample.locations.front()]);
		const auto place = rows.try_emplace(key_of(row, by), std::move(row)).first;

		place->second.samples += samples;
		flat.samples += samples;
	}
	for (auto &[key, row] : rows)
		flat.rows.push_back(std::move(row));
	std::sort(flat.rows.begin(), flat.rows.end(), comes_before);
	return flat;
}

} // namespace cli
