// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/recording/text_table.cpp  Names of a recording's programs. */
#include "cli/recording/text_table.h"
#include "tests/support/catch.h"

using namespace cli;

TEST_CASE("a program is called by its command name, or else by its file, or else unknown", "[cli][programs]")
{
	CHECK(owner_name("python3", "/usr/bin/python3.11") == "python3");
	CHECK(owner_name("", "/usr/bin/python3.11") == "python3.11");
	CHECK(owner_name("", "") == "[unknown]");
}
