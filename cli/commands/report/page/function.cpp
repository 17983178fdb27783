// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/report/page/function.h"

#include "cli/annotation/source_listing.h"
#include "cli/base/characters.h"
#include "cli/base/numbers.h"
#include "cli/base/saturate.h"
#include "cli/commands/report/page/tree.h"
#include "cli/names/short_name.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace cli {
namespace {

using Json = nlohmann::ordered_json;

/* The number of lines shown before and after those with instructions. */
constexpr int64_t context = 2;
/* Instructions without samples are shown if one with samples is at most this many away. */
constexpr size_t near = 12;

std::string place_text(const SourceLine &source)
{
	return source.line > 0 ? fmt::format("{}:{}", printable(base_name(source.file)), source.line) : "";
}

/** Writes one function, within the limits. */
class Writer {
public:
	Writer(SourceFiles &sources, const HtmlOptions &options, const HtmlLimits &limits)
		: sources_(sources), options_(options), limits_(limits)
	{
	}

	Json function_json(const Annotation &annotation)
	{
		Json json;

		json["start"] =
			annotation.start.line > 0
				? cut(fmt::format("{}:{}", annotation.start.file, annotation.start.line))
				: "";
		if (short_name(annotation.function.name) != annotation.function.name)
			json["full_name"] = cut(annotation.function.name);
		json["notes"] = notes_json(annotation);
		json["files"] = files_json(annotation);
		json["of_no_line"] = html_count(counts_of_no_line(annotation).samples);
		json["parts"] = parts_json(annotation);
		json["strays"] = strays_json(annotation);
		return json;
	}

private:
	/** The rows that did not fit. */
	struct Rest {
		size_t rows = 0;
		uint64_t samples = 0;

		void add(uint64_t more)
		{
			rows++;
			samples = saturating_add(samples, more);
		}
		[[nodiscard]] Json json() const { return {rows, html_count(samples)}; }
	};

	[[nodiscard]] std::string cut(std::string_view text) const
	{
		return shortened(printable(text), limits_.line_columns);
	}

	Json notes_json(const Annotation &annotation)
	{
		Json notes = Json::array();

		for (const std::string &note : annotation.notes)
			notes.push_back(cut(note));
		return notes;
	}

	/** Keep only the hottest lines if there are too many. */
	static Rest keep_hottest(std::vector<ListedLine> &lines, size_t left)
	{
		Rest rest;

		if (lines.size() <= left)
			return rest;
		std::stable_sort(lines.begin(), lines.end(), [](const ListedLine &a, const ListedLine &b) {
			return a.samples > b.samples;
		});
		for (size_t i = left; i < lines.size(); i++)
			rest.add(lines[i].samples);
		lines.resize(left);
		std::sort(lines.begin(), lines.end(),
			  [](const ListedLine &a, const ListedLine &b) { return a.number < b.number; });
		return rest;
	}

	/** Lines are [number, samples, text]. */
	Json file_json(ListedFile file, const Annotation &annotation, size_t &left)
	{
		Json lines = Json::array();

		/* Lines without samples are there only for their text. */
		if (!options_.source)
			std::erase_if(file.lines, [](const ListedLine &line) { return !line.samples; });

		const Rest rest = keep_hottest(file.lines, left);

		left -= file.lines.size();
		for (const ListedLine &line : file.lines)
			lines.push_back({line.number, html_count(line.samples),
					 options_.source ? cut(line.text) : ""});
		return {{"name", cut(file.file)},
			{"path", options_.source ? printable(sources_.file(file.file).found) : ""},
			{"samples", html_count(file.samples)},
			{"problem", problem_of(sources_.file(file.file), annotation)},
			{"lines", std::move(lines)},
			{"rest", rest.json()}};
	}

	Json files_json(const Annotation &annotation)
	{
		size_t left = limits_.listed;
		Json files = Json::array();

		for (ListedFile &file : source_listing(annotation, sources_, context))
			files.push_back(file_json(std::move(file), annotation, left));
		return files;
	}

	/** The reason why there is no source text, or why it may not match; empty if it is fine. */
	[[nodiscard]] std::string problem_of(const SourceFile &source, const Annotation &annotation) const
	{
		const time_t built = annotation.parts.empty() ? 0 : annotation.parts.front().built;

		if (!options_.source)
			return "";
		if (source.found.empty())
			return cut("no source: " + source.problem);
		if (built && source.modified > built)
			return "newer than the object: its lines may have moved";
		return "";
	}

	[[nodiscard]] Json instruction_json(const CodePart &part, const AnnotatedInstruction &one) const
	{
		const Loop *loop = part.loops.empty() ? nullptr : &part.loops.front();
		std::string text = one.code.text;

		if (!one.target_name.empty() && !part.extent.holds(*one.code.target))
			text += fmt::format(" <{}>", one.target_name);
		return {fmt::format("{:x}", one.code.address), html_count(one.samples), cut(text),
			place_text(one.source), loop && loop->extent.holds(one.code.address) ? 1 : 0};
	}

	/**
	 * Rows are [address, samples, text, place, in the hottest loop]; or [n, samples]
	 * for n instructions that are left out.
	 */
	Json instructions_json(const CodePart &part, size_t &left)
	{
		const std::vector<bool> wanted = near_counts(part, near);
		Json rows = Json::array();
		Rest gap;
		const auto close_gap = [&] {
			if (gap.rows)
				rows.push_back(gap.json());
			gap = {};
		};

		for (size_t i = 0; i < part.instructions.size(); i++) {
			if (!wanted[i] || !left) {
				gap.add(part.instructions[i].samples);
				continue;
			}
			close_gap();
			rows.push_back(instruction_json(part, part.instructions[i]));
			left--;
		}
		close_gap();
		return rows;
	}

	Json parts_json(const Annotation &annotation)
	{
		size_t left = limits_.listed;
		Json parts = Json::array();

		for (const CodePart &part : annotation.parts) {
			Json json = {{"samples", html_count(part.samples)}};

			if (!part.loops.empty())
				json["loop"] = {{"from", fmt::format("{:#x}", part.loops.front().extent.low)},
						{"to", fmt::format("{:#x}", part.loops.front().extent.high)},
						{"samples", html_count(part.loops.front().samples)}};
			json["instructions"] = instructions_json(part, left);
			parts.push_back(std::move(json));
		}
		return parts;
	}

	/** [address, samples, place] if no instruction is there; or [n, samples], as above. */
	[[nodiscard]] Json strays_json(const Annotation &annotation) const
	{
		Json strays = Json::array();
		Rest rest;

		for (const StraySamples &stray : annotation.strays) {
			/* This address has only counts of other events. */
			if (!stray.samples)
				continue;
			if (strays.size() < limits_.listed)
				strays.push_back({fmt::format("{:x}", stray.address),
						  html_count(stray.samples), place_text(stray.source)});
			else
				rest.add(stray.samples);
		}
		if (rest.rows)
			strays.push_back(rest.json());
		return strays;
	}

	SourceFiles &sources_;
	const HtmlOptions &options_;
	const HtmlLimits &limits_;
};

} // namespace

Json html_function(const Annotation &annotation, SourceFiles &sources, const HtmlOptions &options,
		   const HtmlLimits &limits)
{
	return Writer(sources, options, limits).function_json(annotation);
}

} // namespace cli
