// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/annotation/text.h"

#include "cli/annotation/rows.h"
#include "cli/base/numbers.h"
#include "cli/base/saturate.h"
#include "cli/names/short_name.h"
#include "cli/rows/flat.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace cli {
namespace {

constexpr size_t most_strays = 40;
constexpr size_t most_files_named = 3;
constexpr size_t raw_width = 24;
/* Code with more instructions than this is shown without those far from samples. */
constexpr size_t most_whole = 200;
/* Instructions shown before and after one with samples. */
constexpr size_t context = 3;
/* The head of a loop far from samples is shown only if the loop has 1 / rare of the samples. */
constexpr uint64_t rare = 100;

using Instructions = std::vector<AnnotatedInstruction>;

class Renderer {
public:
	Renderer(const Annotation &annotation, SourceFiles &sources, const AnnotationStyle &style)
		: annotation_(annotation), sources_(sources), style_(style), rows_(annotation, style)
	{
	}

	std::string render();

private:
	void add_header();
	void add_places();
	void add_notes();
	void add_source_notes();
	void note_source(const std::string &file, size_t &missing);
	void add_parts();
	void add_part(const CodePart &part);
	[[nodiscard]] std::vector<bool> worth_showing(const CodePart &part) const;
	void add_run(const CodePart &part, const std::vector<bool> &wanted, Extent extent,
		     const Loop *announced);
	void add_instruction(const CodePart &part, const AnnotatedInstruction &one);
	[[nodiscard]] std::string instruction_text(const CodePart &part,
						   const AnnotatedInstruction &one) const;
	void add_strays();

	[[nodiscard]] bool is_inlined_somewhere() const
	{
		return std::any_of(annotation_.parts.begin(), annotation_.parts.end(),
				   [](const CodePart &part) { return !part.inlined_in.empty(); });
	}
	[[nodiscard]] std::string shown(const std::string &name) const
	{
		return style_.names == NameLength::Full ? name : short_name(name);
	}
	[[nodiscard]] time_t built() const
	{
		return annotation_.parts.empty() ? 0 : annotation_.parts.front().built;
	}

	const Annotation &annotation_;
	SourceFiles &sources_;
	const AnnotationStyle &style_;
	AnnotationRows rows_;
};

void Renderer::add_header()
{
	const FunctionSamples &function = annotation_.function;
	std::string place = function.object;

	/* Show the parameters, which make the name unambiguous. */
	rows_.text(style_.names == NameLength::Full ? function.name : with_short_templates(function.name),
		   Paint::Heading);
	if (annotation_.start.line > 0)
		place += fmt::format(", {}:{}", annotation_.start.file, annotation_.start.line);
	rows_.text("  " + place);
	rows_.text(fmt::format("  {} of the profile's {}",
			       percent_text(annotation_.samples, annotation_.total),
			       grouped(annotation_.total)));
	/* The line above shows the samples, which are the count of events[0]. */
	for (size_t i = 1; i < annotation_.events.size(); i++) {
		const AnnotatedEvent &event = annotation_.events[i];

		rows_.text(fmt::format("  {} {}, {:.2f} % of the profile's {}", grouped(event.count),
				       event.name, percent_of(event.count, event.total),
				       grouped(event.total)));
	}
	add_places();
}

/** The functions that this one is inlined in. */
void Renderer::add_places()
{
	std::map<std::string, uint64_t> places;
	std::vector<std::pair<uint64_t, std::string>> sorted;

	for (const CodePart &part : annotation_.parts) {
		if (!part.inlined_in.empty())
			places[part.inlined_in] = saturating_add(places[part.inlined_in], part.samples);
	}
	for (const auto &[name, samples] : places)
		sorted.emplace_back(samples, name);
	std::sort(sorted.rbegin(), sorted.rend());
	for (const auto &[samples, name] : sorted)
		rows_.text(fmt::format("  {} where it is inlined in {}",
				       percent_text(samples, annotation_.samples), shown(name)));
}

void Renderer::note_source(const std::string &file, size_t &missing)
{
	const SourceFile &source = sources_.file(file);

	if (source.found.empty() && ++missing <= most_files_named)
		rows_.text(fmt::format("  no source: {} (--source-dir and --path-prefix say where it is)",
				       source.problem));
	if (!source.found.empty() && built() && source.modified > built())
		rows_.text(
			fmt::format("  {} is newer than the object: its lines may have moved", source.found));
}

void Renderer::add_source_notes()
{
	std::set<std::string> files;
	size_t missing = 0;

	for (const auto &[source, counts] : counts_by_line(annotation_)) {
		if (source.line)
			files.insert(source.file);
	}
	if (files.empty())
		rows_.text("  no source: the lines are unknown (debug information has them: gcc -g, or "
			   "the -dbgsym package)");
	for (const std::string &file : files)
		note_source(file, missing);
	if (missing > most_files_named)
		rows_.text("  no source: " + counted_noun(missing - most_files_named, "more file"));
}

void Renderer::add_notes()
{
	for (const std::string &note : annotation_.notes)
		rows_.text("  " + note);
	if (!rows_.left_out().empty())
		rows_.text("  no room for: " + rows_.left_out());
	for (const CodePart &part : annotation_.parts) {
		if (part.extent.high - part.extent.low > ObjectCode::most_bytes &&
		    part.extent.high != UINT64_MAX)
			rows_.text(fmt::format("  only the first {} of the function are decoded",
					       bytes_text(ObjectCode::most_bytes)));
	}
	if (style_.source)
		add_source_notes();
}

std::string Renderer::instruction_text(const CodePart &part, const AnnotatedInstruction &one) const
{
	const Instruction &code = one.code;
	std::string text = fmt::format("{} {:>8x}:  ", one.jumped_to ? '>' : ' ', code.address);

	if (style_.raw) {
		std::string bytes;

		for (const char byte : code.bytes)
			bytes += fmt::format("{:02x} ", static_cast<unsigned char>(byte));
		text += fmt::format("{:<{}} ", bytes, raw_width);
	}
	text += code.text;
	if (!one.target_name.empty() && !part.extent.holds(*code.target))
		text += fmt::format(" <{}>", one.target_name);
	return text;
}

void Renderer::add_instruction(const CodePart &part, const AnnotatedInstruction &one)
{
	rows_.row(counts_of(one), instruction_text(part, one));
}

/** True for each instruction to show: in long code, those near samples and heads of hot loops. */
std::vector<bool> Renderer::worth_showing(const CodePart &part) const
{
	const Instructions &instructions = part.instructions;

	if (instructions.size() <= most_whole)
		return std::vector<bool>(instructions.size(), true);

	std::vector<bool> wanted = near_counts(part, context);
	std::set<uint64_t> heads;

	for (const Loop &loop : part.loops) {
		if (loop.samples >= annotation_.samples / rare)
			heads.insert(loop.extent.low);
	}
	for (size_t i = 0; i < instructions.size(); i++)
		wanted[i] = wanted[i] || heads.contains(instructions[i].code.address);
	/* Fill short gaps: the row that says how much is left out would take room, too. */
	for (size_t i = 0, gap = 0; i < wanted.size(); i++) {
		if (!wanted[i]) {
			gap++;
			continue;
		}
		if (gap <= context)
			std::fill_n(wanted.begin() + static_cast<ptrdiff_t>(i - gap), gap, true);
		gap = 0;
	}
	return wanted;
}

/** Add the @p wanted instructions in @p extent, in order of address, and a heading where a loop
 * begins, except for the loop @p announced. */
void Renderer::add_run(const CodePart &part, const std::vector<bool> &wanted, Extent extent,
		       const Loop *announced)
{
	const AnnotatedInstruction *last = nullptr;
	size_t left_out = 0;
	const auto say_left_out = [&] {
		if (left_out)
			rows_.blank(fmt::format("... {} without a sample",
						counted_noun(std::exchange(left_out, 0), "instruction")),
				    Paint::Dim);
	};

	for (size_t i = 0; i < part.instructions.size(); i++) {
		const AnnotatedInstruction &one = part.instructions[i];

		if (!extent.holds(one.code.address))
			continue;
		if (!wanted[i]) {
			left_out++;
			last = nullptr;
			continue;
		}
		say_left_out();
		if (last && last->code.end() != one.code.address)
			rows_.blank("...", Paint::Dim);
		for (const Loop &loop : part.loops) {
			if (&loop != announced && loop.extent.low == one.code.address)
				rows_.blank(fmt::format("loop to {:#x}: {}", loop.extent.high,
							percent_text(loop.samples, annotation_.samples)));
		}
		if (style_.source && one.source.line && (!last || last->source != one.source))
			rows_.blank(fmt::format("{}  {}", source_name(one.source, style_),
						source_text(one.source, sources_)),
				    Paint::Source);
		add_instruction(part, one);
		last = &one;
	}
	say_left_out();
}

void Renderer::add_part(const CodePart &part)
{
	const std::vector<bool> wanted = worth_showing(part);
	const auto any_in = [&](Extent extent) {
		return std::any_of(
			part.instructions.begin(), part.instructions.end(),
			[&](const AnnotatedInstruction &one) { return extent.holds(one.code.address); });
	};
	const auto add = [&](const std::string &title, Extent extent, const Loop *loop) {
		if (!any_in(extent))
			return;
		rows_.text("");
		rows_.text(title, Paint::Heading);
		rows_.heading("   address");
		add_run(part, wanted, extent, loop);
	};
	const std::string whose = part.inlined_in.empty() ? "" : " in " + shown(part.inlined_in);

	if (part.loops.empty())
		return add(fmt::format("code{}: {}", whose, percent_text(part.samples, annotation_.samples)),
			   {0, UINT64_MAX}, nullptr);

	const Loop &hottest = part.loops.front();

	add(fmt::format("hottest loop{}, {:#x} to {:#x}: {}", whose, hottest.extent.low, hottest.extent.high,
			percent_text(hottest.samples, annotation_.samples)),
	    hottest.extent, &hottest);
	add("before the loop" + whose, {0, hottest.extent.low}, &hottest);
	add("after the loop" + whose, {hottest.extent.high, UINT64_MAX}, &hottest);
}

void Renderer::add_parts()
{
	const size_t shown = std::min(annotation_.parts.size(), style_.most_parts);
	Counts rest;

	for (size_t i = 0; i < shown; i++)
		add_part(annotation_.parts[i]);
	for (size_t i = shown; i < annotation_.parts.size(); i++)
		rest.add(counts_of(annotation_.parts[i]));
	if (shown < annotation_.parts.size()) {
		rows_.text("");
		rows_.row(rest, fmt::format("in {}, left out by --limit",
					    counted_noun(annotation_.parts.size() - shown, "more place")));
	}
}

void Renderer::add_strays()
{
	std::vector<StraySamples> strays = annotation_.strays;
	Counts rest;

	if (strays.empty())
		return;
	rows_.text("");
	rows_.text(annotation_.parts.empty() ? "as recorded, by address" : "outside the decoded instructions",
		   Paint::Heading);
	rows_.heading("   address");
	std::stable_sort(strays.begin(), strays.end(),
			 [](const StraySamples &a, const StraySamples &b) { return a.samples > b.samples; });
	for (size_t i = most_strays; i < strays.size(); i++)
		rest.add(counts_of(strays[i]));
	if (strays.size() > most_strays)
		strays.resize(most_strays);
	std::stable_sort(strays.begin(), strays.end(),
			 [](const StraySamples &a, const StraySamples &b) { return a.address < b.address; });
	for (const StraySamples &stray : strays)
		rows_.row(counts_of(stray),
			  fmt::format("  {:>8x}{}", stray.address,
				      stray.source.line ? "   " + source_name(stray.source, style_) : ""));
	if (rest.any())
		rows_.row(rest, fmt::format("at {} more addresses",
					    grouped(annotation_.strays.size() - most_strays)));
}

std::string Renderer::render()
{
	add_header();
	add_notes();
	if (style_.summary)
		add_line_summary(rows_, annotation_, style_);
	if (!style_.instructions || (style_.source && (annotation_.parts.empty() || is_inlined_somewhere())))
		add_source_listing(rows_, annotation_, sources_, style_);
	if (style_.instructions) {
		add_parts();
		add_strays();
		rows_.text("");
		rows_.row(counts_of_all(annotation_), "all samples of the function");
	}
	return rows_.take();
}

} // namespace

std::string annotation_text(const Annotation &annotation, SourceFiles &sources, const AnnotationStyle &style)
{
	return Renderer(annotation, sources, style).render();
}

} // namespace cli
