// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/events/words.cpp  The parts of a text that chooses an event. */
#include "cli/events/words.h"
#include "tests/support/catch.h"

using namespace cli;

TEST_CASE("words are taken up to their separator, which is removed", "[cli][events]")
{
	std::string_view text = "event=0x3c,,umask=1";

	CHECK(take_until(text, ',') == "event=0x3c");
	CHECK(text == ",umask=1");
	CHECK(take_until(text, ',').empty());
	CHECK(take_until(text, ',') == "umask=1");
	CHECK(text.empty());
	CHECK(take_until(text, ',').empty());
}

TEST_CASE("a hexadecimal number has nothing else behind or before it", "[cli][events]")
{
	CHECK(hexadecimal("1a8") == 0x1a8);
	CHECK(hexadecimal("0x1A8") == 0x1a8);
	CHECK(hexadecimal("ffffffffffffffff") == UINT64_MAX);
	CHECK_FALSE(hexadecimal("10000000000000000"));
	CHECK_FALSE(hexadecimal("0x"));
	CHECK_FALSE(hexadecimal(""));
	CHECK_FALSE(hexadecimal("0x0x1"));
	CHECK_FALSE(hexadecimal("-1"));
	CHECK_FALSE(hexadecimal("1g"));
}
