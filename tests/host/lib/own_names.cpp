// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/lib/own_names.cpp  Old programs that define functions with the same names as
 * libc's and libprofil's, such as Apple's gmon.c, UCB's mon.c and GCC's gmon.c for Solaris.
 */
#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <fstream>

using namespace support;

namespace {

/** A program that calls all these functions, and prints a bit for each that is its own. */
constexpr char calls_all[] = "#define _DEFAULT_SOURCE\n"
			     "#include <stdio.h>\n"
			     "#include <unistd.h>\n"
			     "unsigned called;\n"
			     "extern int moncontrol(), monstartup(), _mcleanup(), _mcount(), mcount();\n"
			     "static unsigned short counters[16];\n"
			     "int main()\n"
			     "{\n"
			     "	monstartup((unsigned long)main, (unsigned long)main + 64);\n"
			     "	_mcount();\n"
			     "	mcount();\n"
			     "	moncontrol(0);\n"
			     "	profil(counters, sizeof counters, 0, 0);\n"
			     "	_mcleanup();\n"
			     "	printf(\"%u\\n\", called);\n"
			     "	return 0;\n"
			     "}\n";

constexpr const char *names[] = {"moncontrol", "monstartup", "_mcleanup", "_mcount", "mcount"};

} // namespace

TEST_CASE("a program may have any of libc's functions for gcc -pg itself, static or not", "[abi][gmon]")
{
	const TemporaryDirectory dir;
	const std::string make_in = "cd " + (dir / "") + " && " + cc() + " ";
	std::string make = make_in + "-w -O0 -fno-omit-frame-pointer -c main.c";

	std::ofstream(dir / "main.c") << calls_all;
	for (unsigned bit = 0; bit < 5; bit++) {
		const std::string name = names[bit];

		std::ofstream(dir / (name + ".c"))
			<< "extern unsigned called;\n"
			<< "int " << name << "() { called |= 1U << " << bit << "; return 0; }\n";
		make += " " + name + ".c";
	}
	REQUIRE(run(make).text.empty());

	for (const std::string linkage : {"-static", "-static-pie", "-pie"}) {
		for (unsigned own = 0; own < 32; own++) {
			std::string link = make_in + linkage + " -o x main.o";

			for (unsigned bit = 0; bit < 5; bit++)
				if (own & 1U << bit)
					link += std::string(" ") + names[bit] + ".o";
			link += " " + build_dir() + "/libprofil.a 2>&1 | grep -v dlopen; ./x";

			const Output output = run(link);

			INFO(link << "\n" << output.text);
			CHECK(output.text == std::to_string(own) + "\n");
		}
	}
}
