// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/flavour/programs.cpp  Whole sources for the old systems, built with the flags of
 * their .pc files.
 */
#include "tests/support/programs.h"
#include "tests/guest/lib/support.h"
#include "tests/support/catch.h"

#include <sstream>

using namespace guest;
using namespace lib_test;
using namespace support;

TEST_CASE_METHOD(AtRest, "a source in each system's style, with that system's headers, counts",
		 "[lib][flavour]")
{
	for (const std::string flavour : {"aix", "bsd", "irix", "linux", "solaris", "tru64", "tru64_v5"}) {
		const Output output = run("env PROFIL_VERBOSE=1 LD_LIBRARY_PATH=" + build_dir() + " " +
					  program("original_" + flavour));

		INFO(flavour);
		CHECK(output.text == "");
		CHECK(output.status == 0);
	}
}

TEST_CASE_METHOD(AtRest,
		 "a source with its own declarations has the rules of the flavour that it is linked with",
		 "[lib][flavour]")
{
	for (const std::string flavour : {"aix", "bsd", "irix", "linux", "solaris", "tru64"}) {
		/* PROFIL_FLAVOUR is only for programs without a flavour. */
		const std::string other = flavour == "bsd" ? "irix" : "bsd";

		for (const std::string linkage : {"shared", "shared-no-pie", "static", "static-pie"}) {
			const Output output =
				run("env PROFIL_FLAVOUR=" + other + " LD_LIBRARY_PATH=" + build_dir() + " " +
				    program("declared_" + flavour + "-" + linkage));

			INFO(flavour << " " << linkage);
			CHECK(output.text == "");
			CHECK(output.status == 0);
		}
	}
}

TEST_CASE_METHOD(AtRest, "the examples in the manual pages count their own loops", "[lib][flavour][man]")
{
	const TemporaryDirectory dir;
	unsigned number = 0;

	std::istringstream names(
		run("sed -n 's,^/\\* example: \\(.*\\)[.]c \\*/$,\\1,p' Documentation/man/*").text);
	std::string name;

	while (std::getline(names, name)) {
		const Output output = run("cd " + (dir / "") + " && LD_LIBRARY_PATH=" + build_dir() + " " +
					  build_dir() + "/tests/examples/" + name);

		INFO(name << "\n" << output.text);
		CHECK(output.status == 0);
		CHECK(output.text != "");
		number++;
	}
	CHECK(number == 15);
}
