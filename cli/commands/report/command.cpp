// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/characters.h"
#include "cli/base/exit.h"
#include "cli/base/output_file.h"
#include "cli/base/stream.h"
#include "cli/base/terminal.h"
#include "cli/commands/report/options.h"
#include "cli/commands/report/page/page.h"
#include "cli/commands/report/report.h"
#include "cli/options/subcommands.h"
#include "cli/profile/merge.h"
#include "cli/profile/profile_file.h"
#include "cli/symbols/later_lines.h"

#include <fmt/format.h>
#include <malloc.h>
#include <set>
#include <unistd.h>

namespace cli {
namespace {

constexpr char name[] = "profil report";
constexpr int most_kept = 32 << 20;

/** What is read of a file and its objects. */
struct Wanted {
	std::string value; /**< the type of the values; empty: the file's choice */
	TimeRange time;
	bool lines = false;
	std::string root; /**< the objects are below it */
};

/* All profiles, or the error of the first that cannot be read. */
Result<std::vector<Profile>> read_all_profiles(const std::vector<std::string> &paths, const Wanted &wanted,
					       std::vector<FileNote> &notes)
{
	std::vector<Profile> profiles;

	for (const std::string &path : paths) {
		Result<Profile> profile = read_profile(path, wanted.value);

		if (!profile)
			return profile.error();
		if (const Outcome kept = keep_time(*profile, wanted.time); !kept)
			return Error{profile_file_name(path) + ": " + kept.error().text};

		std::vector<FileNote> some =
			wanted.lines ? add_lines(*profile, wanted.root) : add_names(*profile, wanted.root);

		notes.insert(notes.end(), some.begin(), some.end());
		profiles.push_back(*std::move(profile));
	}
	return profiles;
}

Error with_paths(const Error &error, const std::vector<std::string> &paths)
{
	return Error{error.text + ": " + fmt::format("{}", fmt::join(paths, ", "))};
}

Result<Reported> prepare(const std::vector<std::string> &paths, const View &view, const Wanted &wanted)
{
	Reported reported;
	Result<std::vector<Profile>> profiles = read_all_profiles(paths, wanted, reported.notes);

	if (!profiles)
		return profiles.error();

	Result<Profile> profile = profiles->size() == 1 ? std::move(profiles->front()) : merge(*profiles);

	if (!profile)
		return with_paths(profile.error(), paths);
	reported.rates_differ = profiles->size() > 1 && !have_one_period(*profiles);
	for (const std::string &path : paths)
		reported.files.push_back(profile_file_name(path));
	reported.profile = *std::move(profile);
	reported.flat = flatten(reported.profile, view);
	if (profiles->size() > 1)
		take_longest_periods(reported.flat.events, *profiles);
	return reported;
}

/* Rows have their own copies.  With 200,000 functions, these names are a quarter of the memory. */
void forget_names(Profile &profile)
{
	profile.locations = {};
	profile.functions = {};
}

/** The rows in the order of --order, if there is one. */
Result<Report> ordered(Report report, const std::string &name_of_order)
{
	EventColumns events = report.now.flat.events;

	if (name_of_order.empty())
		return report;
	if (report.base) {
		events.names.clear();
		for (const CommonEvent &event : common_events(report))
			events.names.push_back(event.name);
		report.ratios.clear();
	}

	Result<EventOrder> order = find_order(events, report.ratios, name_of_order);

	if (!order)
		return order.error();
	if (report.base)
		order_rows(report.compared, std::get<size_t>(*order));
	else
		order_rows(report.now.flat, *order);
	report.order = *std::move(order);
	return report;
}

Result<Report> prepare_report(const ReportOptions &options)
{
	const Wanted wanted = {options.value, options.time, options.html || shows_lines(options.view),
			       options.page.code.root};
	Result<Reported> now = prepare(options.files, options.view, wanted);

	if (!now)
		return now.error();

	if (!options.html)
		forget_names(now->profile);

	Result<std::vector<Ratio>> ratios = ratios_of(now->flat.events, options.ratios);

	if (!ratios)
		return ratios.error();

	Report report{options.view, *std::move(now), std::nullopt, {}, *std::move(ratios), std::nullopt, {}};

	report.style = {terminal_width(STDOUT_FILENO), options.rows, options.percent_limit,
			wants_color(options.color, STDOUT_FILENO)};
	if (!options.base)
		return ordered(std::move(report), options.order);

	/* Another recording, or the whole of this one: no part of it is asked for. */
	Wanted of_base = wanted;

	of_base.time = {};

	Result<Reported> base = prepare({*options.base}, options.view, of_base);

	if (!base)
		return base.error();
	if (!(base->flat.type == report.now.flat.type)) {
		std::vector<std::string> paths = options.files;

		paths.push_back(*options.base);
		return with_paths(Error{"the profiles have no type of value in common"}, paths);
	}
	report.base = *std::move(base);
	report.compared = compare(report.base->flat, report.now.flat);
	return ordered(std::move(report), options.order);
}

int fail(const Error &error)
{
	write_message(fmt::format("{}: {}\n", name, printable(error.text)));
	return exit_failure;
}

/** All that is known of the files: a page has every object. */
void tell_all(const Report &report)
{
	tell(name, texts_of(report.now.notes));
}

/** What is known of the files of the rows that are shown. */
void tell_of_shown(const Report &report)
{
	std::set<std::string_view> objects;
	std::vector<FileNote> notes = report.now.notes;

	if (report.base)
		notes.insert(notes.end(), report.base->notes.begin(), report.base->notes.end());
	if (notes.empty())
		return;
	for (const size_t index : shown_rows(report).rows)
		objects.insert(report.base ? report.compared[index].row.object
					   : report.now.flat.rows[index].object);
	std::erase_if(notes, [&](const FileNote &note) { return !objects.contains(note.object); });
	tell(name, texts_of(notes));
}

int print_page(const ReportOptions &options)
{
	const Result<Report> report = prepare_report(options);

	if (report)
		tell_all(*report);
	return report ? print(name, report_html(*report, options.page)) : fail(report.error());
}

int write_page(const ReportOptions &options)
{
	/* Check that the file can be written before the work is done. */
	const Result<OutputFile> file = OutputFile::prepare(*options.html);

	if (!file)
		return fail(Error{file.error().text + " (choose another file with --html)"});

	const Result<Report> report = prepare_report(options);

	if (!report)
		return fail(report.error());

	tell_all(*report);

	const Outcome written = file->write(report_html(*report, options.page));

	return written ? exit_ok : fail(written.error());
}

} // namespace

int report_main(const std::vector<std::string> &arguments)
{
	ReportOptions options;

	/* Tables come and go in a short life: each page that is returned would be zeroed again for the next.
	 */
	mallopt(M_MMAP_THRESHOLD, most_kept);
	mallopt(M_TRIM_THRESHOLD, most_kept);

	if (const std::optional<int> status = parse_report_options(arguments, options))
		return *status;

	if (options.html)
		return options.html == "-" ? print_page(options) : write_page(options);

	/* The process ends next: to release each name of it would take a tenth of its time. */
	static const Result<Report> &report = *new Result<Report>(prepare_report(options));

	if (!report)
		return fail(report.error());
	tell_of_shown(*report);
	return print(name, options.json ? report_json(*report) : report_table(*report));
}

} // namespace cli
