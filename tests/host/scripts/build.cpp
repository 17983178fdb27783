// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/scripts/build.cpp  make recompiles the files that include a changed header. */
#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <filesystem>

using namespace support;

TEST_CASE("files that include a changed header are compiled again, however the build directory is given",
	  "[scripts]")
{
	const std::filesystem::path absolute = build_dir();

	for (const std::filesystem::path &build : {absolute, std::filesystem::relative(absolute)}) {
		const Output made = run("env -u MAKEFLAGS make -n -W cli/base/exit.h B=" + build.string() +
					" " + (build / "cli/main.o").string());

		CAPTURE(made.text);
		CHECK(made.status == 0);
		CHECK(made.text.find("-c -o " + (build / "cli/main.o").string()) != std::string::npos);
	}
}
