// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/symbols/perf_map.cpp  Names of JIT-compiled code from perf maps. */
#include "tests/host/cli/symbols/support.h"
#include "tests/support/catch.h"

#include <fmt/format.h>
#include <string_view>

using namespace cli;
using namespace jit_test;

namespace {

JitSymbols from_map(std::string_view text)
{
	JitSymbols symbols;

	symbols.add_perf_map(text);
	return symbols;
}

} // namespace

TEST_CASE("a perf map names code from its start to its end, and names may have spaces", "[cli][jit]")
{
	const JitSymbols symbols =
		from_map("7f0000001000 20 Function:add /a b.js:3:4\n0x7f0000001020 0x10 next\n");

	CHECK(name_at(symbols, 0x7f0000000fff).empty());
	CHECK(name_at(symbols, 0x7f0000001000) == "Function:add /a b.js:3:4");
	CHECK(name_at(symbols, 0x7f000000101f) == "Function:add /a b.js:3:4");
	CHECK(name_at(symbols, 0x7f0000001020) == "next");
	CHECK(name_at(symbols, 0x7f0000001030).empty());
}

TEST_CASE("malformed lines of a perf map are left out, and so is a line that is not complete yet",
	  "[cli][jit]")
{
	const JitSymbols symbols =
		from_map("\nx\n10\n10 20\n10 20 \nzz 20 a\n10 zz a\n"
			 "ffffffffffffffff0 1 too-long\n"
			 "fffffffffffffff0 20 beyond-the-end\n50 0 nothing\n30 8 good\n40 8 hal");

	CHECK(name_at(symbols, 0x30) == "good");
	for (const uint64_t address : {0x10UL, 0x40UL, 0x50UL, 0xfffffffffffffff0UL, 0UL})
		CHECK(name_at(symbols, address).empty());
}

TEST_CASE("later code replaces the code that it overlaps, and leaves the rest", "[cli][jit]")
{
	const JitSymbols symbols = from_map("100 100 old\n140 20 new\n1f0 20 last\n80 90 first\n");

	CHECK(name_at(symbols, 0x80) == "first");
	CHECK(name_at(symbols, 0x10f) == "first");
	CHECK(name_at(symbols, 0x110) == "old");
	CHECK(name_at(symbols, 0x13f) == "old");
	CHECK(name_at(symbols, 0x140) == "new");
	CHECK(name_at(symbols, 0x15f) == "new");
	CHECK(name_at(symbols, 0x160) == "old");
	CHECK(name_at(symbols, 0x1ef) == "old");
	CHECK(name_at(symbols, 0x1f0) == "last");
	CHECK(name_at(symbols, 0x20f) == "last");
	CHECK(name_at(from_map("100 10 a\n110 10 b\n120 10 c\n100 30 all\n"), 0x128) == "all");
}

TEST_CASE("code that is cut into many pieces is not copied", "[cli][jit]")
{
	const std::string name(5000, 'x');
	std::string text = "0 ffffffff " + name + "\n";

	for (int piece = 1; piece < 1000; piece++)
		text += fmt::format("{:x}00 10 small\n", piece);

	const JitSymbols symbols = from_map(text);

	/* Names are cut at a length that no compiler's names reach. */
	CHECK(name_at(symbols, 0xfe0) == std::string(4096, 'x'));
	CHECK(symbols.find(0x10)->code == symbols.find(0x3e750)->code);
	CHECK(name_at(symbols, 0x3e70f) == "small");
}
