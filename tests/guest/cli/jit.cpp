// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/jit.cpp  Code that programs generate while they run. */
#include "tests/guest/cli/support.h"

using namespace cli_test;

namespace {

/**
 * Record a program that generates code.  If profil looks after the code exists but before its
 * description does, it sees the description a second later.
 */
Json jit_report(const TemporaryDirectory &directory, const std::string &how, const std::string &options = "")
{
	const std::string file = directory / "p.pb.gz";
	const Output output = run("cd " + (directory / "") + " && " + profil_path() + " record " + options +
				  " -o " + file + " -- " + program("cli_jit") + " 2500 " + how);

	INFO(output.text);
	REQUIRE(output.status == 0);
	return report(file);
}

} // namespace

TEST_CASE("generated code has the name in its perf map", "[cli][jit]")
{
	const TemporaryDirectory directory;
	const Json json = jit_report(directory, "map");

	CHECK(hottest(json) == "jitted loop");
	CHECK(has(hottest_row(json)["object"], "[anon:"));
	CHECK(hottest_row(json)["percent"] > 50);
	run("rm -f /tmp/perf-*.map");
}

TEST_CASE("a child shown as its own process has its parent's names for inherited code", "[cli][jit]")
{
	const TemporaryDirectory directory;
	const Json json = jit_report(directory, "fork", "--per-process");

	CHECK(hottest(json) == "jitted loop");
	for (const Json &row : json["rows"])
		CHECK_FALSE(has(row["function"], "[anon:"));
	run("rm -f /tmp/perf-*.map");
}
