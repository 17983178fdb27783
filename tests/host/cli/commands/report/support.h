// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/report/support.h  Reports of profiles that are not in a file. */
#pragma once

#include "cli/base/characters.h"
#include "cli/commands/report/report.h"
#include "tests/support/text.h"

#include <algorithm>
#include <string>

namespace cli_test {

using support::has;

/** A report of test.pb.gz, by keys in the form of --sort. */
inline cli::Report report_of(const cli::Profile &profile, const std::string &keys,
			     const cli::ReportStyle &style = {}, const std::vector<std::string> &filters = {})
{
	cli::Report report;

	report.view.keys = *cli::parse_sort_keys(keys);
	for (const std::string &filter : filters)
		report.view.filters.push_back(*cli::parse_filter(filter));
	report.now = {{"test.pb.gz"}, profile, cli::flatten(profile, report.view)};
	report.style = style;
	return report;
}

/** A report of test.pb.gz, compared with the base old.pb.gz. */
inline cli::Report comparison_of(const cli::Profile &base, const cli::Profile &profile,
				 const std::string &keys, const cli::ReportStyle &style = {})
{
	cli::Report report = report_of(profile, keys, style);

	report.base = {{"old.pb.gz"}, base, cli::flatten(base, report.view)};
	report.compared = cli::compare(report.base->flat, report.now.flat);
	return report;
}

inline size_t widest_line(const std::string &text)
{
	size_t widest = 0;

	for (size_t start = 0, end = 0; (end = text.find('\n', start)) != text.npos; start = end + 1)
		widest = std::max(widest, cli::columns(text.substr(start, end - start)));
	return widest;
}

} // namespace cli_test
