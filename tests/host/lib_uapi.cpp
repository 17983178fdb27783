// SPDX-License-Identifier: GPL-2.0-or-later
/* The structures that programs and the module share. */
#include "tests/lib_support.h"

#include <catch2/catch.hpp>

using namespace lib_test;

namespace {

/** Does a C file of the tests compile?  Nothing is linked, so -m32 needs no other libc. */
Output compile(const std::string &options, const std::string &file)
{
	const Output multiarch = run(cc() + " -print-multiarch");
	const std::string triplet = multiarch.text.substr(0, multiarch.text.find('\n'));

	return run(cc() + " -fsyntax-only -Wall -Werror -Iinclude -Iinclude/uapi -isystem /usr/include/" +
		   triplet + " " + options + " " + file);
}

} // namespace

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
	for (const std::string header : {"linux/profil.h", "profil.h", "pcsample.h"}) {
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
