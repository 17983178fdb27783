// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/base/file_name.cpp  Names of output files that are written repeatedly. */
#include "cli/base/file_name.h"
#include "tests/support/catch.h"

using namespace cli;

TEST_CASE("a file's name has the process, the time and the machine", "[cli]")
{
	const NameParts parts = {4711, 1790000000, "box"};

	CHECK(expand_name("profil.pb.gz", parts) == "profil.pb.gz");
	CHECK(expand_name("/x/%h-%p-%t.pb.gz", parts) == "/x/box-4711-20260921T141320Z.pb.gz");
	CHECK(expand_name("%%%p%%", parts) == "%4711%");
	CHECK(expand_name("%t", {0, 0, ""}) == "19700101T000000Z");
}

TEST_CASE("an unknown percent sequence is refused before anything is recorded", "[cli]")
{
	for (const char *good : {"", "x", "%p", "%t%h", "%%"})
		CHECK(why_no_pattern(good).empty());
	for (const char *wrong : {"%", "100%", "%x", "%%%", "%P"}) {
		CAPTURE(wrong);
		CHECK(why_no_pattern(wrong) == "'" + std::string(wrong) +
						       "' has an unknown percent sequence (use %p, %t, %h or "
						       "%%)");
	}
}

TEST_CASE("only a name with %t differs each time", "[cli]")
{
	CHECK(tells_time("a-%t"));
	CHECK_FALSE(tells_time("a-%%t"));
	CHECK_FALSE(tells_time("a-%p-%h"));
}

TEST_CASE("the machine has a name", "[cli]")
{
	CHECK_FALSE(host_name().empty());
}
