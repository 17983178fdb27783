// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/perf.cpp  What perf has recorded, as a profile. */
#include "tests/guest/cli/support.h"

using namespace cli_test;

TEST_CASE("what perf script prints is a profile of the functions that perf names", "[cli]")
{
	const bool stacks = GENERATE(false, true);
	const TemporaryDirectory directory;
	const std::string data = directory / "perf.data", text = directory / "perf.txt";
	const Output recorded = run(
		"perf record -q -e cpu-clock:u -F 999 " + std::string(stacks ? "-g " : "") + "-o " + data +
		" -- " + program("cli_burn") + " 500 && perf script --no-inline -i " + data + " >" + text);

	CAPTURE(stacks, recorded.text);
	REQUIRE(recorded.status == 0);
	const Output samples = run("grep -c 'cpu-clock:u' " + text);
	const Output output = profil("report --json --sort command,function " + text);
	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json json = Json::parse(output.text);

	CHECK(json["samples"] == std::stoul(samples.text));
	CHECK(json["rows"][0]["process"] == "cli_burn");
	/* Older versions of perf leave out the parameters of C++. */
	const std::string function = json["rows"][0]["function"];
	CAPTURE(function);
	CHECK((function == "burn_hot" || function == "burn_hot()"));
	CHECK(json["rows"][0]["percent"] > 50);
	/* It is compared with our own as any other profile is. */
	const std::string file = directory / "p.pb.gz";
	REQUIRE(profil("record -o " + file + " -- " + program("cli_burn") + " 500").status == 0);
	const Output compared = profil("report --base " + text + " " + file);
	INFO(compared.text);
	CHECK(compared.status == 0);
	CHECK(has(compared.text, "burn_hot"));
}
