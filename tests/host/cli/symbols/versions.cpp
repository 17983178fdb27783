// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/symbols/versions.cpp  Names of functions with several versions. */
#include "cli/symbols/symbols.h"
#include "tests/support/catch.h"
#include "tests/support/objects.h"
#include "tests/support/programs.h"

#include <fstream>
#include <string>

using namespace cli;
using cli_test::open_object;
using support::run;
using support::TemporaryDirectory;

TEST_CASE("of several names at one address, the default version of a symbol is shown", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string library = directory / "library";

	/* As in libc, where perf's order alone, without versions, selects the longer name. */
	std::ofstream(directory / "code.s") << R"(
	.text
	.globl new, old
	.type new, @function
	.type old, @function
	.symver new, give@@NEW
	.symver old, old_give@OLD
new:
old:
	.skip 16, 0x90
	.size new, 16
	.size old, 16
)";
	std::ofstream(directory / "versions") << "OLD { };\nNEW { global: give; local: new; old; } OLD;\n";
	const support::Output linked =
		run("cd " + (directory / "") + " && gcc -shared -nostdlib -Wl,--version-script=versions -o " +
		    library + " code.s");
	INFO(linked.text);
	REQUIRE(linked.status == 0);
	REQUIRE(run("readelf -W --dyn-syms " + library).text.find(" old_give@OLD") != std::string::npos);

	const uint64_t start =
		std::stoull(run("nm -D " + library + " | sed -n 's/ T give@@NEW//p'").text, nullptr, 16);
	const auto name = [&] {
		const Object object = open_object(library);
		const std::vector<Frame> frames = Symbols(object, Detail::Functions).frames(start + 4);

		return frames.empty() ? "" : frames.front().name;
	};

	CHECK(name().substr(0, 4) == "give");
	REQUIRE(run("strip " + library).status == 0);
	CHECK(name() == "give");
}
