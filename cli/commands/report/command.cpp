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

/** The parts of a file and its objects that are needed. */
struct Wanted {
	std::string value; /**< the type of the values; empty: the file's default */
	TimeRange time;
	bool lines = false;
	std::string root; /**< the directory below which the objects are */
};

/* All profiles, or the error of the first one that cannot be read. */
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

		const std::vector<FileNote> some =
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

/** Profiles that were read; prepare() makes their rows. */
struct Read {
	Reported reported;
	std::vector<Profile> parts; /**< the profiles, if Reported::profile is their sum */
};

Result<Read> read_files(const std::vector<std::string> &paths, const Wanted &wanted)
{
	Read read;
	Reported &reported = read.reported;
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
	if (profiles->size() > 1)
		read.parts = *std::move(profiles);
	return read;
}

Reported prepare(Read read, const View &view)
{
	Reported &reported = read.reported;

	reported.flat = flatten(reported.profile, view);
	if (!read.parts.empty())
		take_longest_periods(reported.flat.events, read.parts);
	return std::move(reported);
}

/* Rows have copies of the names: with 200,000 functions, the names take a quarter of the memory. */
void forget_names(Profile &profile)
{
	profile.locations = {};
	profile.functions = {};
}

/** The events that --ratio and --order may name; in a comparison, those that both profiles have. */
EventColumns columns_of(const Report &report)
{
	if (!report.base)
		return report.now.flat.events;

	EventColumns columns;

	for (const CommonEvent &event : common_events(report))
		columns.names.push_back(event.name);
	return columns;
}

/** Adds the ratios of --ratio to a report, and sorts its rows by --order, if that is given. */
Result<Report> ordered(Report report, const ReportOptions &options)
{
	const EventColumns events = columns_of(report);
	Result<std::vector<Ratio>> ratios =
		ratios_of(events, options.ratios, report.base ? "both profiles" : "the profile");

	if (!ratios)
		return ratios.error();
	report.ratios = *std::move(ratios);
	if (options.order.empty())
		return report;

	/* With --html, --order names the event to show first; an HTML report has no ratios. */
	Result<EventOrder> order = find_order(
		events, options.html ? std::span<const Ratio>() : std::span<const Ratio>(report.ratios),
		options.order);

	if (!order)
		return order.error();
	if (report.base)
		order_rows(report.compared, *order);
	else
		order_rows(report.now.flat, *order);
	report.order = *std::move(order);
	return report;
}

Error no_common_event(const Reported &base, const Reported &now, const EventMatch &events)
{
	return Error{
		fmt::format("the profiles have no event in common: {} has {}, {} has {} (record both with "
			    "the same -e)",
			    files_text(base.files), names_text(events.base_only), files_text(now.files),
			    names_text(events.now_only))};
}

/** If the profiles have events in common, use the first of these as the samples of both. */
Outcome match(Report &report, Read &base, Read &now)
{
	Profile &older = base.reported.profile, &newer = now.reported.profile;

	report.events = match_events(older, newer);
	if (report.events.none())
		return no_common_event(base.reported, now.reported, report.events);
	if (report.events.both.empty())
		return Done();

	const std::string &event = report.events.both.front();
	const bool older_led = lead_with(older, event), newer_led = lead_with(newer, event);

	for (std::vector<Profile> *parts : {&base.parts, &now.parts}) {
		for (Profile &part : *parts)
			lead_with(part, event);
	}
	if (older_led || newer_led)
		report.led_by = event;
	return Done();
}

Result<Report> prepare_comparison(const ReportOptions &options, Read now, const Wanted &wanted)
{
	/* --from and --to do not apply to the base: another recording, or all of this one. */
	Wanted of_base = wanted;

	of_base.time = {};

	Result<Read> base = read_files({*options.base}, of_base);

	if (!base)
		return base.error();

	const ValueType base_type = samples_type(base->reported.profile);

	if (!(base_type == samples_type(now.reported.profile))) {
		std::vector<std::string> paths = options.files;

		paths.push_back(*options.base);
		return with_paths(Error{"the profiles have no type of value in common"}, paths);
	}

	Report report;

	if (const Outcome matched = match(report, *base, now); !matched)
		return matched.error();
	report.view = options.view;
	report.now = prepare(std::move(now), options.view);
	if (!options.html)
		forget_names(report.now.profile);
	report.base = prepare(*std::move(base), options.view);
	report.compared = compare(report.base->flat, report.now.flat);
	return report;
}

Result<Report> prepare_report(const ReportOptions &options)
{
	const Wanted wanted = {options.value, options.time, options.html || shows_lines(options.view),
			       options.page.code.root};
	Result<Read> now = read_files(options.files, wanted);

	if (!now)
		return now.error();

	Result<Report> report = Report();

	if (options.base) {
		report = prepare_comparison(options, *std::move(now), wanted);
		if (!report)
			return report.error();
	} else {
		report->view = options.view;
		report->now = prepare(*std::move(now), options.view);
		if (!options.html)
			forget_names(report->now.profile);
	}
	report->style = {terminal_width(STDOUT_FILENO), options.rows, options.percent_limit,
			 wants_color(options.color, STDOUT_FILENO)};
	return ordered(*std::move(report), options);
}

int fail(const Error &error)
{
	write_message(fmt::format("{}: {}\n", name, printable(error.text)));
	return exit_failure;
}

/** Prints all notes about objects, because an HTML report shows every object. */
void tell_all(const Report &report)
{
	tell(name, texts_of(report.now.notes));
}

/** Prints the notes about the objects of the rows that are shown. */
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
	/* First check that the file can be written, before all the work. */
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

	/* Large tables are freed soon.  Keep their memory for the next ones: if it were returned to
	 * the kernel, the kernel would have to zero it again. */
	mallopt(M_MMAP_THRESHOLD, most_kept);
	mallopt(M_TRIM_THRESHOLD, most_kept);

	if (const std::optional<int> status = parse_report_options(arguments, options))
		return *status;

	if (options.html)
		return options.html == "-" ? print_page(options) : write_page(options);

	/* The process is about to exit, and freeing all names would take a tenth of its time. */
	static const Result<Report> &report = *new Result<Report>(prepare_report(options));

	if (!report)
		return fail(report.error());
	tell_of_shown(*report);
	return print(name, options.json ? report_json(*report) : report_table(*report));
}

} // namespace cli
