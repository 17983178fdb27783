// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/characters.h"
#include "cli/commands/export/export.h"
#include "cli/commands/export/size.h"
#include "cli/rows/call_stack.h"
#include "cli/rows/flat.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace cli {
namespace {

constexpr std::string_view header =
	"samples,percent,function,object,build_id,address,file,line,process,pid\r\n";

struct CsvRow {
	size_t location = 0;
	ProcessLabel process;
	uint64_t samples = 0;
};

/*
 * A spreadsheet runs text that begins with one of these characters as a formula; an
 * apostrophe in front prevents that.
 */
bool is_formula(std::string_view text)
{
	return !text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos;
}

std::string field(std::string_view text)
{
	std::string safe = (is_formula(text) ? "'" : "") + printable(text);
	std::string quoted = "\"";

	if (safe.find_first_of(",\"") == std::string::npos)
		return safe;
	for (const char c : safe)
		quoted += c == '"' ? "\"\"" : std::string(1, c);
	return quoted + '"';
}

std::vector<CsvRow> rows_of(std::span<const CountedStack> stacks)
{
	std::map<std::pair<size_t, ProcessLabel>, uint64_t> counts;
	std::vector<CsvRow> rows;

	for (const CountedStack &stack : stacks) {
		uint64_t &samples = counts[{stack.locations.front(), stack.process}];

		samples = add_samples(samples, stack.samples);
	}
	for (const auto &[place, samples] : counts)
		rows.push_back({place.first, place.second, samples});
	std::stable_sort(rows.begin(), rows.end(),
			 [](const CsvRow &a, const CsvRow &b) { return a.samples > b.samples; });
	return rows;
}

/* As in the report: the function with the symbol, but the line of the innermost inlined code. */
std::string line_of(const CsvRow &row, const Profile &profile, const CallFrames &frames, uint64_t total)
{
	const CallFrame &function = frames.at(row.location).back();
	const CallFrame &source = frames.at(row.location).front();
	const std::string_view build_id =
		function.mapping ? std::string_view(profile.mappings[*function.mapping].build_id) : "";

	return fmt::format("{},{:.4f},{},{},{},{:#x},{},{},{},{}\r\n", row.samples,
			   percent_of(row.samples, total), field(function.function), field(function.object),
			   field(build_id), function.address, field(source.file),
			   source.line ? std::to_string(source.line) : "", field(row.process.name),
			   row.process.pid ? std::to_string(row.process.pid) : "");
}

/* Names in profiles from other tools can be long, and are repeated in each row. */
uint64_t bytes_of(const CsvRow &row, const CallFrames &frames)
{
	constexpr uint64_t numbers = 60;
	const CallFrame &function = frames.at(row.location).back();

	return function.function.size() + function.object.size() +
	       frames.at(row.location).front().file.size() + row.process.name.size() + numbers;
}

} // namespace

Result<std::string> export_csv(const Profile &profile)
{
	const CallFrames frames(profile);
	const std::vector<CountedStack> stacks = counted_stacks(profile);
	const uint64_t total = total_samples(stacks);
	const std::vector<CsvRow> rows = rows_of(stacks);
	std::string text(header);
	uint64_t bytes = 0;

	for (const CsvRow &row : rows)
		bytes = add_samples(bytes, bytes_of(row, frames));
	if (bytes > export_bytes_max)
		return too_large_to_export();
	for (const CsvRow &row : rows)
		text += line_of(row, profile, frames, total);
	return text;
}

} // namespace cli
