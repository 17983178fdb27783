// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/reader/read_profile.h"

#include "cli/annotation/function_choice.h"
#include "cli/annotation/text.h"
#include "cli/base/saturate.h"
#include "cli/commands/export/export.h"
#include "cli/commands/report/report.h"
#include "cli/profile/merge.h"
#include "cli/profile/pprof.h"
#include "cli/rows/filter.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace cli;

namespace fuzz {
namespace {

/* A file of a few kilobytes must not need more memory. */
constexpr PprofLimits limits = {size_t{4} << 20, size_t{32} << 20};
constexpr std::array<size_t, 3> widths = {0, 20, 80};
constexpr size_t most_annotated = 3;
/* Larger sums saturate, and then differ from the sum of their parts. */
constexpr uint64_t most_added = uint64_t{1} << 62;

void check(bool holds, const char *what)
{
	if (holds)
		return;
	fmt::print(stderr, "read_profile: {}\n", what);
	std::abort();
}

uint64_t total_of(const Profile &profile)
{
	const size_t index = samples_index(profile);
	uint64_t sum = 0;

	for (const Sample &sample : profile.samples)
		sum = saturating_add(sum, samples_of(sample, index));
	return sum;
}

/** Checks that the file that we write can be read again with the same samples. */
void write_again(const Profile &profile)
{
	const Result<Profile> again = decode_pprof(encode_pprof(profile));

	check(static_cast<bool>(again), "the written file is not a profile");
	check(total_of(*again) == total_of(profile), "what was written has other samples");
	check(again->locations.size() == profile.locations.size(), "what was written has other locations");
}

void check_rows(const Flat &flat)
{
	uint64_t sum = flat.filtered_out;

	for (const Row &row : flat.rows)
		sum = saturating_add(sum, row.samples);
	check(flat.samples > most_added || sum == flat.samples, "the rows are not all samples");
}

void report(const Profile &profile, const View &view)
{
	Report report{view, {}, std::nullopt, {}, {}, std::nullopt, {}};

	report.now.files = {"a.pb.gz"};
	report.now.profile = profile;
	report.now.flat = flatten(profile, view);
	check_rows(report.now.flat);
	for (const size_t width : widths) {
		report.style.width = width;
		check(!report_table(report).empty(), "a report is empty");
	}
	check(nlohmann::json::accept(report_json(report)), "a report is not JSON");
	report.base = report.now;
	report.compared = compare(report.base->flat, report.now.flat);
	check(std::none_of(report.compared.begin(), report.compared.end(),
			   [](const ComparedRow &row) { return row.significant(); }),
	      "a profile differs from itself");
	check(!report_table(report).empty(), "a comparison is empty");
	check(nlohmann::json::accept(report_json(report)), "a comparison is not JSON");
}

void report_all(const Profile &profile)
{
	for (const char *keys : {"function", "inlined,line", "process,object,address", "command"})
		report(profile, {*parse_sort_keys(keys), {}});
	report(profile, {{SortKey::Function}, {*parse_filter("function=a"), *parse_filter("pid!=1")}});
}

void export_all(const Profile &profile)
{
	for (const ExportFormat &format : export_formats()) {
		if (format.write)
			static_cast<void>(format.write(profile));
	}
	static_cast<void>(export_gmon(profile));
}

void annotate(const Profile &profile)
{
	const std::vector<FunctionSamples> functions = functions_of(profile);
	Annotator annotator(profile, {});
	SourceFiles sources;

	for (size_t i = 0; i < std::min(functions.size(), most_annotated); i++) {
		const Annotation annotation = annotator.annotate(functions[i], true);
		AnnotationStyle style;

		for (const size_t width : widths) {
			style.width = width;
			check(!annotation_text(annotation, sources, style).empty(), "an annotation is empty");
		}
		style.instructions = false;
		style.summary = true;
		check(!annotation_text(annotation, sources, style).empty(), "lines alone are empty");
		/* A name that begins with a slash would be taken as an expression. */
		if (!functions[i].name.starts_with('/'))
			static_cast<void>(choose_functions(functions, functions[i].name));
	}
}

/**
 * Annotates the profile as if it came from an existing program; otherwise its addresses are never
 * decoded.
 */
void annotate_program(Profile profile)
{
	if (profile.mappings.empty())
		return;
	profile.mappings.front().filename = "/bin/true";
	profile.mappings.front().build_id.clear();
	annotate(profile);
}

} // namespace

bool read_profile(std::string_view content)
{
	const Result<Profile> profile = decode_pprof(content, limits);

	if (!profile) {
		check(!profile.error().text.empty(), "an error has no text");
		return false;
	}
	write_again(*profile);
	report_all(*profile);
	export_all(*profile);
	annotate(*profile);
	annotate_program(*profile);

	const std::array<Profile, 2> twice = {*profile, *profile};
	const Result<Profile> merged = merge(twice);

	check(static_cast<bool>(merged), "a profile has nothing in common with itself");
	report(*merged, {});
	return true;
}

} // namespace fuzz
