// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/record/jit.cpp  Code that programs generate while they run. */
#include "tests/host/cli/recorded.h"

using namespace support;

namespace {

/**
 * Record a program that generates code.  It runs for 2.5 s: if the recorder looks after the code
 * was mapped but before its description was written, the next look may be a second later.
 */
Json jit_report(const std::string &how, const std::string &by)
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const Output output =
		run("cd " + (directory / "") + " && " + profil_path() + " record --backend perf -o " + file +
		    " -- " + program("cli_jit") + " 2500 " + how);

	INFO(output.text);
	REQUIRE(output.status == 0);
	return report(file, by);
}

} // namespace

TEST_CASE("generated code has the name and lines in its jitdump", "[perf][recorded]")
{
	need_perf();

	const Json row = jit_report("dump", "address")["rows"][0];

	CHECK(row["function"] == "dumped loop");
	CHECK(row["file"] == "script.js");
	CHECK(row["line"] == 20);
}

TEST_CASE("generated code without a name is counted by its mapping", "[perf][recorded]")
{
	need_perf();

	const Json json = jit_report("none", "function");

	CHECK(has(json["rows"][0]["function"], "[anon:"));
	CHECK(json["rows"][0]["percent"] > 50);
}
