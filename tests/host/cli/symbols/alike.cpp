// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/symbols/alike.cpp  The range of addresses that are certain to have the same
 * function. */
#include "cli/symbols/symbols.h"
#include "tests/support/catch.h"
#include "tests/support/objects.h"
#include "tests/support/programs.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <tuple>

using namespace cli;
using cli_test::open_object;
using support::run;
using support::TemporaryDirectory;

TEST_CASE("addresses that are said to be alike have the same function, around and after an inner one",
	  "[cli]")
{
	const TemporaryDirectory directory;
	const std::string library = directory / "library";

	std::ofstream(directory / "code.s") << R"(
	.text
	.globl outer, inner, other
	.type outer, @function
	.type inner, @function
	.type other, @function
outer:	.skip 16, 0x90
inner:	.skip 16, 0x90
	.size inner, 16
	.skip 32, 0x90
	.size outer, 64
	.skip 16, 0x90
other:	.skip 16, 0x90
	.size other, 16
)";
	REQUIRE(run("gcc -shared -nostdlib -o " + library + " " + (directory / "code.s")).status == 0);

	const uint64_t start =
		std::stoull(run("nm " + library + " | sed -n 's/ T outer//p'").text, nullptr, 16);
	const Object object = open_object(library);
	Symbols symbols(object, Detail::Functions);
	const auto alike = [&](uint64_t offset) {
		const std::vector<Frame> frames = symbols.frames(start + offset);
		const Extent extent = symbols.alike();

		return std::tuple(frames.empty() ? "" : frames.front().name, extent.low - start,
				  extent.high - start);
	};

	CHECK(alike(4) == std::tuple("outer", 4, 16));
	CHECK(alike(16) == std::tuple("inner", 16, 32));
	CHECK(alike(40) == std::tuple("outer", 40, 64));
	CHECK(alike(80) == std::tuple("other", 80, 96));
	/* Padding has no name, so it has no range. */
	CHECK(symbols.frames(start + 70).empty());
	CHECK(symbols.alike() == Extent{});

	/* With lines, there is no such range. */
	const std::shared_ptr<Object> program =
		cli_test::map_object(std::filesystem::read_symlink("/proc/self/exe"));
	Symbols lines(*program, Detail::Lines);

	REQUIRE(lines.has_lines());
	CHECK_FALSE(lines.frames(program->texts.all().front().low + 4096).empty());
	CHECK(lines.alike() == Extent{});
}
