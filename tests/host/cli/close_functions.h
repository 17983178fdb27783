// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/close_functions.h  A program whose functions have fixed addresses. */
#pragma once

#include "tests/support/catch.h"
#include "tests/support/objects.h"
#include "tests/support/programs.h"

#include <fstream>
#include <memory>
#include <string>

namespace cli_test {

/**
 * The program "close".  Its text begins at 0x401000:
 *
 *     0x401000 f_one, 0x401018 f_two, 0x401036 padding, 0x401040 f_three,
 *     0x401050 112 bytes without a symbol, 0x4010c0 f_four, up to 0x401100
 */
class CloseFunctions {
public:
	static constexpr uint64_t text = 0x401000;

	CloseFunctions()
	{
		std::ofstream(directory_ / "close.S") << R"(
			.macro code name, bytes
			.globl \name
			.type \name, @function
			\name: .skip \bytes, 0x90
			.size \name, \bytes
			.endm
			.text
			code f_one, 24
			code f_two, 30
			.balign 64
			code f_three, 16
			.skip 112, 0x90
			code f_four, 64
			.section .note.GNU-stack, "", @progbits
		)";

		const support::Output built =
			support::run("cd " + (directory_ / "") +
				     " && gcc -nostdlib -static -no-pie -Wl,-Ttext=0x401000,-e,f_one "
				     "-Wl,--build-id=0x01020304 -o close close.S");

		INFO(built.text);
		REQUIRE(built.status == 0);
	}

	[[nodiscard]] std::string path() const { return directory_ / "close"; }
	[[nodiscard]] std::shared_ptr<cli::Object> object() const { return map_object(path()); }

private:
	support::TemporaryDirectory directory_;
};

} // namespace cli_test
