// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/report/events.cpp  Reports of several events. */
#include "cli/profile/pprof.h"
#include "tests/host/cli/commands/report/support.h"
#include "tests/host/cli/event_profile.h"
#include "tests/support/programs.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

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

TEST_CASE("--order has most of an event first, and no sums of samples", "[cli][report][events]")
{
	const TemporaryDirectory directory;
	const std::string path = write(directory, "test.pb.gz", event_profile());

	CHECK(has(report(path).text,
		  "page-faults       %   sum %  context-switches %  cycles %  function  object\n"
		  "        900   90.00   90.00                0.00     33.33  touch     load\n"
		  "        100   10.00  100.00               20.00     66.67  grow      load\n"
		  "          0    0.00  100.00               80.00      0.00  wait      load\n"));
	CHECK(has(report("--order context-switches " + path).text,
		  "page-faults       %  context-switches %  cycles %  function  object\n"
		  "          0    0.00               80.00      0.00  wait      load\n"
		  "        100   10.00               20.00     66.67  grow      load\n"
		  "        900   90.00                0.00     33.33  touch     load\n"));
	CHECK(report("--order page-faults " + path).text == report(path).text);
}

TEST_CASE("limits are for the event by which rows are ordered", "[cli][report][events]")
{
	const TemporaryDirectory directory;
	const std::string path = write(directory, "test.pb.gz", event_profile());
	const auto functions = [&](const std::string &arguments) {
		const auto json = nlohmann::json::parse(report("--json " + arguments + ' ' + path).text);
		std::string names;

		for (const auto &row : json["rows"])
			names += row["function"].get<std::string>() + ' ';
		return names;
	};

	CHECK(functions("--order cycles --percent-limit 50") == "grow ");
	CHECK(functions("--order context-switches --percent-limit 20") == "wait grow ");
	CHECK(functions("--order context-switches --limit 1") == "wait ");
	CHECK(functions("--percent-limit 50") == "touch ");
	/* Those of a ratio are for the samples: few of them make wild ratios. */
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
	CHECK(unknown.text == "profil report: --order: 'cache-misses' is none of page-faults, "
			      "context-switches, cycles\n");
	CHECK(single.status == 1);
	CHECK(single.text == "profil report: --order: 'cycles': the profile does not have several events\n");
	CHECK(report("--order cycles --html - " + path).status == 2);
}
