// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/perf.cpp  What perf has recorded, as a profile. */
#include "tests/guest/cli/support.h"

using namespace cli_test;

TEST_CASE("what perf script prints is a profile of the functions that perf names", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string data = directory / "perf.data", file = directory / "p.pb.gz";
	const Output recorded = run("perf record -q -e cpu-clock:u -F 999 -g -o " + data + " -- " +
				    program("cli_burn") + " 500");

	INFO(recorded.text);
	REQUIRE(recorded.status == 0);
	REQUIRE(profil("record -o " + file + " -- " + program("cli_burn") + " 500").status == 0);
	for (const std::string stacks : {"", "--hide-call-graph "}) {
		const std::string text = directory / "perf.txt";
		const Output printed = run("perf script --no-inline " + stacks + "-i " + data + " >" + text);
		const Output samples = run("grep -c 'cpu-clock:u' " + text);
		const Output output = profil("report --json --sort command,function " + text);

		CAPTURE(stacks, printed.text, output.text);
		REQUIRE(printed.status == 0);
		REQUIRE(output.status == 0);
		const Json json = Json::parse(output.text);

		CHECK(json["samples"] == std::stoul(samples.text));
		CHECK(json["rows"][0]["process"] == "cli_burn");
		/* Older versions of perf leave out the parameters of C++. */
		const std::string function = json["rows"][0]["function"];
		CAPTURE(function);
		CHECK((function == "burn_hot" || function == "burn_hot()"));
		CHECK(json["rows"][0]["percent"] > 50);
		/* perf's profile can be compared with profil's own like any other. */
		const Output compared = profil("report --base " + text + " " + file);
		CAPTURE(compared.text);
		CHECK(compared.status == 0);
		CHECK(has(compared.text, "burn_hot"));
	}
}
