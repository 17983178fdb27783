// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/lib/uapi.cpp  The structures that programs and the module share. */
#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <fstream>
#include <regex>
#include <sstream>
#include <vector>

using namespace support;

namespace {

/** Compiles a C file of the tests.  Nothing is linked, so -m32 needs no other libc. */
Output compile(const std::string &options, const std::string &file)
{
	const Output multiarch = run(cc() + " -print-multiarch");
	const std::string triplet = multiarch.text.substr(0, multiarch.text.find('\n'));

	return run(cc() + " -fsyntax-only -Wall -Werror -Iinclude -Iinclude/uapi -isystem /usr/include/" +
		   triplet + " " + options + " " + file);
}

std::string text_of(const std::string &path)
{
	std::ifstream file(path);

	REQUIRE(file);
	return {std::istreambuf_iterator<char>(file), {}};
}

/** The lines of the interface, without comments. */
std::vector<std::string> declarations()
{
	std::string text =
		text_of("include/uapi/linux/profil.h") + text_of("include/uapi/linux/profil_record.h");

	for (size_t at = text.find("/*"); at != text.npos; at = text.find("/*", at))
		text.erase(at, text.find("*/", at) + 2 - at);

	std::istringstream lines(text);
	std::vector<std::string> all;

	for (std::string line; getline(lines, line);)
		all.push_back(line);
	return all;
}

/** The line of uapi-layout.c for a line of a structure; empty if the line is not understood. */
std::string layout_of(const std::string &structure, const std::string &line)
{
	std::smatch found;

	if (line == "};")
		return "TOTAL(" + structure + ", ";
	if (std::regex_match(line, found, std::regex(R"(\t(?:__\w+|char) (\w+)(?:\[\d+\])?;)")))
		return "MEMBER(" + structure + ", " + found.str(1) + ", ";
	return "";
}

} // namespace

TEST_CASE("the layout has every structure of the interface, and every member", "[uapi]")
{
	const std::string layout = text_of("tests/host/data/uapi-layout.c");
	std::string structure;
	int structures = 0;

	for (const std::string &line : declarations()) {
		std::smatch found;

		CAPTURE(structure, line);
		if (std::regex_match(line, found, std::regex(R"(struct (\w+) \{)"))) {
			structure = found.str(1);
			structures++;
			continue;
		}
		if (structure.empty())
			continue;
		REQUIRE(layout_of(structure, line) != "");
		CHECK(layout.find(layout_of(structure, line)) != layout.npos);
		if (line == "};")
			structure.clear();
	}
	CHECK(structures > 0);
}

TEST_CASE("the layout has every number that programs are compiled with", "[uapi]")
{
	const std::string layout = text_of("tests/host/data/uapi-layout.c");
	int numbers = 0;

	for (const std::string &line : declarations()) {
		std::smatch found;

		CAPTURE(line);
		if (!std::regex_search(line, found, std::regex(R"(^(?:#define |\t)(PROFIL_\w+)\s)")))
			continue;
		numbers++;
		CHECK(std::regex_search(layout, std::regex(found.str(1) + " == ")));
	}
	CHECK(numbers > 0);
}

TEST_CASE("every structure of the interface has its layout and no holes", "[uapi]")
{
	const Output output = compile("-std=c90", "tests/host/data/uapi-layout.c");

	CHECK(output.text == "");
	CHECK(output.status == 0);
}

TEST_CASE("a 32-bit program sees the same structures", "[uapi]")
{
#ifdef __x86_64__
	const Output output = compile("-std=c90 -m32", "tests/host/data/uapi-layout.c");

	CHECK(output.text == "");
	CHECK(output.status == 0);
#endif
}

TEST_CASE("the public headers compile as strict C90 and as C++", "[uapi]")
{
	for (const std::string header :
	     {"linux/profil.h", "linux/profil_record.h", "profil.h", "pcsample.h"}) {
		for (const std::string options :
		     {"-x c -std=c90 -pedantic -Wextra", "-x c -std=c11 -Wextra", "-x c++ -std=c++98 -Wextra",
		      "-x c++ -std=c++20 -Wextra -Wshadow"}) {
			const Output output = compile("-include " + header + " " + options, "/dev/null");

			INFO(header << " " << options);
			CHECK(output.text == "");
			CHECK(output.status == 0);
		}
	}
}
