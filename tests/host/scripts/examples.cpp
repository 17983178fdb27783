// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/scripts/examples.cpp  The examples of README.md and the guide, as
 * scripts/examples makes and checks them. */
#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <fstream>

using namespace support;

namespace {

const std::string table = "profil top: 1,997 samples in 2.02 s at 999 Hz\n"
			  "words (pid 178)\n\n"
			  "samples       %   delta   now %  function         object\n"
			  "    626   31.35    +626   31.35  words::checksum  words\n"
			  "    254   12.72    +254   12.72  memcmp           libc.so.6\n\n"
			  "1,997  100.00 %  ticks of the clock\n";

const std::string code = "hottest loop, 0x20e0 to 0x20f3: 118 samples, 81.38 %\n"
			 "samples       %               address\n"
			 "                           words.cpp:66                  sum = sum * 3;\n"
			 "     81   55.86  ######          20ea:  imulq  %rdi, %rax\n"
			 "                                 20f1:  jne    0x20e0\n";

/** The lines of an example that the command no longer prints. */
std::string missing(const std::string &shown, const std::string &printed)
{
	const TemporaryDirectory dir;

	std::ofstream(dir / "shown") << shown;
	std::ofstream(dir / "printed") << printed;
	return run("python3 -B scripts/examples.d/shape.py " + (dir / "shown") + " " + (dir / "printed"))
		.text;
}

std::string with(std::string text, const std::string &part, const std::string &other)
{
	REQUIRE(text.find(part) != std::string::npos);
	return text.replace(text.find(part), part.size(), other);
}

} // namespace

TEST_CASE("the documents' examples are what the command prints today of their profiles",
	  "[scripts][examples]")
{
	CHECK(run("B=" + build_dir() + " scripts/examples --stored").text == "");
}

TEST_CASE("README.md is short: 120 lines, with four transcripts at most", "[scripts][examples]")
{
	std::ifstream readme("README.md");
	size_t lines = 0, transcripts = 0;

	REQUIRE(readme);
	for (std::string line; std::getline(readme, line); lines++)
		transcripts += line.starts_with("<!-- example: ");
	CHECK(lines <= 120);
	CHECK(transcripts <= 4);
	CHECK(transcripts > 0);
}

TEST_CASE("an example has the shape of another run", "[scripts][examples]")
{
	CHECK(missing(table, "profil top: 7 samples in 12.5 s at 99 Hz\nperl (pid 4711)\n\n"
			     "samples       %   delta   now %  function  object\n"
			     "      7  100.00      +7  100.00  main      perl\n\n"
			     "9  100.00 %  ticks of the clock\n2   20.00 %  lost: the clock was late\n") ==
	      "words (pid 178)\n");
	CHECK(missing(code, with(with(code, "imulq  %rdi, %rax", "ret"), "0x20e0", "0x1fe")) == "");
}

TEST_CASE("an example whose heading, wording or columns have changed is found", "[scripts][examples]")
{
	CHECK(missing(table, with(table, "delta", " diff")) ==
	      "samples       %   delta   now %  function         object\n");
	CHECK(missing(table, with(table, "ticks of the clock", "ticks")) ==
	      "1,997  100.00 %  ticks of the clock\n");
	CHECK(missing(table, with(table, "2.02 s at", "2.02 s, at")) ==
	      "profil top: 1,997 samples in 2.02 s at 999 Hz\n");
	CHECK(missing(table, with(with(table, "    +626", ""), "    +254", "")) ==
	      "    626   31.35    +626   31.35  words::checksum  words\n"
	      "    254   12.72    +254   12.72  memcmp           libc.so.6\n");
	CHECK(missing(code, with(code, "     81   55.86  ######", "                       ")) ==
	      "     81   55.86  ######          20ea:  imulq  %rdi, %rax\n");
	CHECK(missing(code, with(code, "hottest loop", "loop")) ==
	      "hottest loop, 0x20e0 to 0x20f3: 118 samples, 81.38 %\n");
}
