// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/report/events.cpp  Reports of several events. */
#include "cli/profile/pprof.h"
#include "tests/host/cli/commands/report/support.h"
#include "tests/host/cli/event_profile.h"
#include "tests/support/catch.h"
#include "tests/support/json.h"
#include "tests/support/programs.h"

#include <fstream>

using namespace cli;
using cli_test::has;
using support::TemporaryDirectory;

namespace {

std::string write(const TemporaryDirectory &directory, const std::string &name, const Profile &profile)
{
	std::string path = directory / name;

	std::ofstream(path, std::ios::binary) << encode_pprof(profile);
	return path;
}

support::Output report(const std::string &arguments)
{
	return support::run(support::build_dir() + "/profil report " + arguments);
}

} // namespace

TEST_CASE("the title of a report has the count of each event", "[cli][report][events]")
{
	const TemporaryDirectory directory;
	const std::string path = write(directory, "test.pb.gz", event_profile());
	const std::string title = report(path).text;

	CHECK(title.substr(0, title.find('\n')) ==
	      path + ": 1,000 page-faults, 50 context-switches and 3,000,000 cycles in 1.50 s");
}

TEST_CASE("--order has most of an event first, and no sums of samples", "[cli][report][events]")
{
	const TemporaryDirectory directory;
	const std::string path = write(directory, "test.pb.gz", event_profile());

	CHECK(has(report(path).text,
		  "page-faults       %   sum %  context-switches %  cycles %  function  object\n"
		  "        900   90.00   90.00                0.00     33.33  touch     load\n"
		  "        100   10.00  100.00               18.00     66.67  grow      load\n"
		  "          0    0.00  100.00               82.00      0.00  wait      load\n"));
	CHECK(has(report("--order context-switches " + path).text,
		  "page-faults       %  context-switches %  cycles %  function  object\n"
		  "          0    0.00               82.00      0.00  wait      load\n"
		  "        100   10.00               18.00     66.67  grow      load\n"
		  "        900   90.00                0.00     33.33  touch     load\n"));
	CHECK(report("--order page-faults " + path).text == report(path).text);
	CHECK(has(report("--value context-switches " + path).text, "\ncontext-switches       %   sum %"));
}

TEST_CASE("with a base each event has its differences and its own marks", "[cli][report][events]")
{
	const TemporaryDirectory directory;
	const std::string old = write(directory, "old.pb.gz", event_profile());
	const std::string now = write(directory, "new.pb.gz", with_more_switches());
	const std::string text = report("--base " + old + ' ' + now).text;

	CHECK(has(text,
		  "base %   new %  page-faults delta   context-switches base %  context-switches new %  "
		  "context-switches delta   cycles base %  cycles new %  cycles delta   function  object\n"
		  " 90.00   90.00              +0.00                      0.00                    0.00  "
		  "                 +0.00           33.33         25.00         -8.33   touch     load\n"));
	CHECK(has(text,
		  " 10.00   10.00              +0.00                     18.00                   83.64  "
		  "                +65.64*          66.67         50.00        -16.67   grow      load\n"));
	CHECK(has(text,
		  "   new    0.00              +0.00                      0.00                    0.00  "
		  "                 +0.00            0.00         25.00        +25.00   sleep     load\n"));
	CHECK(has(text, "* chance does not explain the difference: p < 0.01, corrected for the "
			"rows of each event\n"));
}

TEST_CASE("a comparison is ordered by the event that --order names", "[cli][report][events]")
{
	const TemporaryDirectory directory;
	const std::string old = write(directory, "old.pb.gz", event_profile());
	Profile other = event_profile();

	other.samples[1].values = {300, 300, 10, 2000000};
	other.samples[2].values = {0, 0, 10, 9000000};

	const std::string files = "--base " + old + ' ' + write(directory, "new.pb.gz", other);
	const auto functions = [&](const std::string &arguments) {
		const auto json = support::parse_json(report("--json " + arguments + ' ' + files).text);
		std::string names;

		for (const auto &row : json["rows"])
			names += row["function"].get<std::string>() + ' ';
		return names;
	};

	CHECK(functions("") == "touch grow wait ");
	CHECK(functions("--order page-faults") == "touch grow wait ");
	CHECK(functions("--order context-switches") == "grow wait touch ");
	CHECK(functions("--order cycles") == "wait grow touch ");
	CHECK(functions("--order cycles --percent-limit 50") == "wait grow ");
	CHECK(report("--order cache-misses " + files).text ==
	      "profil report: --order: 'cache-misses' is not one of page-faults, context-switches, cycles\n");
}

TEST_CASE("on a narrow terminal a comparison keeps the differences of its events", "[cli][report][events]")
{
	const std::string text =
		report_table(cli_test::comparison_of(event_profile(), event_profile(), "function", {80}));

	CHECK(has(text, " new %  page-faults delta   context-switches delta   function  object\n"));
	CHECK(has(text, ", base %, cycles delta\n"));
	CHECK(cli_test::widest_line(text) <= 80);
}

TEST_CASE("a comparison in JSON has each event, and follows the schema", "[cli][report][events]")
{
	const TemporaryDirectory directory;
	const std::string old = write(directory, "old.pb.gz", event_profile());
	const std::string document = directory / "report.json";
	const support::Output output = report("--json --base " + old + ' ' + old);

	std::ofstream(document) << output.text;

	const support::Output valid = support::run("/usr/bin/python3 -W ignore -m jsonschema -i " + document +
						   " Documentation/report.schema.json");

	CAPTURE(output.text, valid.text);
	CHECK(valid.status == 0);

	const auto json = support::parse_json(output.text);
	const auto &wait = json["rows"][2];

	CHECK(json["rows"].size() == 3);
	CHECK(wait["function"] == "wait");
	CHECK(wait["samples"] == 0);
	CHECK(wait["events"]["context-switches"]["count"] == 41);
	CHECK(wait["events"]["context-switches"]["base_count"] == 41);
	CHECK(wait["events"]["context-switches"]["percent"] == 82);
	CHECK(wait["events"]["context-switches"]["significant"] == false);
	CHECK(wait["events"].size() == 3);
}

TEST_CASE("limits are for the event by which rows are ordered", "[cli][report][events]")
{
	const TemporaryDirectory directory;
	const std::string path = write(directory, "test.pb.gz", event_profile());
	const auto functions = [&](const std::string &arguments) {
		const auto json = support::parse_json(report("--json " + arguments + ' ' + path).text);
		std::string names;

		for (const auto &row : json["rows"])
			names += row["function"].get<std::string>() + ' ';
		return names;
	};

	CHECK(functions("--order cycles --percent-limit 50") == "grow ");
	CHECK(functions("--order context-switches --percent-limit 18") == "wait grow ");
	CHECK(functions("--order context-switches --limit 1") == "wait ");
	CHECK(functions("--percent-limit 50") == "touch ");
	/* With a ratio, the limits apply to samples: few samples give unreliable ratios. */
	CHECK(functions("--ratio cycles/page-faults --order cycles/page-faults --percent-limit 10") ==
	      "grow touch ");
}

TEST_CASE("an order that cannot be had is refused with what there is", "[cli][report][events]")
{
	const TemporaryDirectory directory;
	const std::string path = write(directory, "test.pb.gz", event_profile());
	const support::Output unknown = report("--order cache-misses " + path);
	const support::Output single = report("--value cycles --order cycles " + path);

	CHECK(unknown.status == 1);
	CHECK(unknown.text == "profil report: --order: 'cache-misses' is not one of page-faults, "
			      "context-switches, cycles\n");
	CHECK(single.status == 1);
	CHECK(single.text == "profil report: --order: 'cycles': the profile does not have several events\n");
	/* An HTML report has no ratios. */
	CHECK(report("--ratio cycles/page-faults --order cycles/page-faults --html - " + path).text ==
	      "profil report: --order: 'cycles/page-faults' is not one of page-faults, context-switches, "
	      "cycles\n");
}
