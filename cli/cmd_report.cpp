// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/merge.h"
#include "cli/profile_file.h"
#include "cli/report.h"
#include "cli/report_options.h"
#include "cli/stream.h"
#include "cli/subcommands.h"
#include "cli/text.h"

#include <fmt/format.h>
#include <unistd.h>

namespace cli {
namespace {

constexpr char name[] = "profil report";

/* All of them, or the error of the first that cannot be read. */
Result<Profile> read_all_profiles(const std::vector<std::string> &paths)
{
	std::vector<Profile> profiles;

	for (const std::string &path : paths) {
		Result<Profile> profile = read_profile(path);

		if (!profile)
			return profile.error();
		profiles.push_back(*std::move(profile));
	}
	if (profiles.size() == 1)
		return std::move(profiles.front());

	Result<Profile> merged = merge(profiles);

	if (!merged)
		return Error{merged.error().text + ": " + fmt::format("{}", fmt::join(paths, ", "))};
	return merged;
}

Result<Reported> prepare(const std::vector<std::string> &paths, const View &view)
{
	Result<Profile> profile = read_all_profiles(paths);
	Reported reported;

	if (!profile)
		return profile.error();
	for (const std::string &path : paths)
		reported.files.push_back(profile_file_name(path));
	reported.profile = *std::move(profile);
	reported.flat = flatten(reported.profile, view);
	return reported;
}

Result<Report> prepare_report(const ReportOptions &options)
{
	Result<Reported> now = prepare(options.files, options.view);

	if (!now)
		return now.error();

	Report report{options.view, *std::move(now), std::nullopt, {}, {}};

	report.style = {terminal_width(STDOUT_FILENO), options.rows, options.percent_limit,
			wants_color(options.color, STDOUT_FILENO)};
	if (!options.base)
		return report;

	Result<Reported> base = prepare({*options.base}, options.view);

	if (!base)
		return base.error();
	report.base = *std::move(base);
	report.compared = compare(report.base->flat, report.now.flat);
	return report;
}

} // namespace

int report_main(const std::vector<std::string> &arguments)
{
	ReportOptions options;

	if (const std::optional<int> status = parse_report_options(arguments, options))
		return *status;

	const Result<Report> report = prepare_report(options);

	if (!report) {
		write_message(fmt::format("{}: {}\n", name, printable(report.error().text)));
		return exit_failure;
	}
	return print(name, options.json ? report_json(*report) : report_table(*report));
}

} // namespace cli
