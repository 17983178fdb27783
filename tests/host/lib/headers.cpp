// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/lib/headers.cpp  Compiles the flavours' headers the way that sources for the
 * old systems include them.
 */
#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <cerrno>
#include <fstream>
#include <map>
#include <profil.h>
#include <vector>

using namespace support;

namespace {

const std::string languages[] = {"-x c -std=c89 -pedantic", "-x c -std=c99 -pedantic",
				 "-x c -std=gnu17",	    "-x c++ -std=c++98 -pedantic",
				 "-x c++ -std=c++11",	    "-x c++ -std=c++20"};

const std::string flavours[] = {"linux", "solaris", "irix", "bsd", "tru64", "aix"};

/** Calls of each flavour's functions, as its sources write them. */
const std::map<std::string, std::string> calls = {
	{"linux", "(void)profil(buffer, sizeof buffer, 0, 0x10000)"},
	{"solaris", "profil(buffer, sizeof buffer, 0, 0x10000); (void)pcsample(0, 0)"},
	{"irix", "(void)profil(buffer, sizeof buffer, 0, 0x10000)"},
	{"bsd", "(void)profil((char *)buffer, sizeof buffer, 0, 0x10000); (void)add_profil((char *)buffer, "
		"2, 0, 2)"},
	{"tru64", "profil(buffer, sizeof buffer, (void *)buffer, 0x10000); profil(&range, 1, -1, 0)"},
	{"aix", "profil(buffer, sizeof buffer, 0, 0x10000); profil((unsigned short *)list, -1, 0, 0)"},
};

std::string declarations(const std::string &flavour)
{
	if (flavour == "tru64")
		return "static struct profil_args range;\n";
	if (flavour == "aix")
		return "static struct prof list[2];\n";
	if (flavour == "linux" || flavour == "irix")
		return "int regions(struct prof *profp, struct timeval *tvp);\n"
		       "int regions(struct prof *profp, struct timeval *tvp)\n"
		       "{\n\treturn sprofil(profp, 1, tvp, PROF_UINT | PROF_FAST);\n}\n";
	return "";
}

std::string source(const std::string &includes, const std::string &flavour)
{
	return includes + "static unsigned short buffer[16];\n" + declarations(flavour) +
	       "void start(void);\nvoid start(void)\n{\n\t" + calls.at(flavour) + ";\n}\n";
}

Output compile(const std::string &options, const std::string &text)
{
	const TemporaryDirectory dir;
	const std::string file = dir / "source";

	std::ofstream(file) << text;
	return run(cc() + " -Wall -Wextra -Werror -Iinclude -Iinclude/uapi -c -o " + (dir / "object.o") +
		   " " + options + " " + file + " && nm -u " + (dir / "object.o"));
}

/** The C examples in a document of the project. */
std::vector<std::string> c_examples(const std::string &document)
{
	std::ifstream file(document);
	std::vector<std::string> examples;
	bool inside = false;

	for (std::string line; getline(file, line);) {
		if (line == "```c")
			examples.emplace_back();
		else if (inside && line != "```")
			examples.back() += line + "\n";
		inside = line == "```c" || (inside && line != "```");
	}
	return examples;
}

} // namespace

TEST_CASE("a flavour's header gives the source that flavour's profil, with <unistd.h> before or after it",
	  "[flavour]")
{
	for (const std::string &flavour : flavours) {
		const std::string header = "#include <profil/" + flavour + ".h>\n";

		for (const std::string &includes :
		     {header, "#include <unistd.h>\n" + header, header + "#include <unistd.h>\n"}) {
			for (const std::string &language : languages) {
				const Output output = compile(language, source(includes, flavour));

				INFO(language << "\n" << includes << output.text);
				REQUIRE(output.status == 0);
				CHECK(output.text.find("U profil_" + flavour) != std::string::npos);
				CHECK(output.text.find("U profil\n") == std::string::npos);
			}
		}
	}
}

TEST_CASE("two flavours in one source are an error that says so", "[flavour]")
{
	for (const std::string &first : flavours) {
		for (const std::string &second : flavours) {
			const Output output =
				compile("-x c", "#include <profil/" + first + ".h>\n#include <profil/" +
							second + ".h>\nint x;\n");

			INFO(first << " " << second);
			CHECK((output.status == 0) == (first == second));
			if (first != second)
				CHECK(output.text.find("another flavour of profil()") != std::string::npos);
		}
	}
}

TEST_CASE("libc's <sys/profil.h> beside that of IRIX or AIX is an error that says so", "[flavour]")
{
	for (const std::string flavour : {"irix", "aix"}) {
		const std::string header = "#include <profil/" + flavour + ".h>\n";
		const Output before = compile("-x c", "#include <sys/profil.h>\n" + header + "int x;\n");
		const Output after = compile("-x c", header + "#include <sys/profil.h>\nint x;\n");

		CHECK(before.status != 0);
		CHECK(before.text.find("libc's <sys/profil.h>") != std::string::npos);
		CHECK(after.text == "");
	}
}

TEST_CASE("the original header names give that system's profil", "[flavour]")
{
	const std::map<std::string, std::vector<std::string>> names = {
		{"linux", {"unistd.h", "sys/profil.h"}},
		{"solaris", {"unistd.h", "pcsample.h", "mon.h"}},
		{"irix", {"unistd.h", "sys/profil.h", "mon.h"}},
		{"bsd", {"unistd.h"}},
		{"tru64", {"unistd.h", "sys/resource.h", "mon.h"}},
		{"aix", {"unistd.h", "mon.h"}},
	};

	for (const auto &[flavour, headers] : names) {
		std::vector<std::string> sources;
		std::string all;

		for (const std::string &header : headers) {
			/* pcsample.h declares pcsample() alone. */
			if (header != "pcsample.h")
				sources.push_back("#include <" + header + ">\n");
			all += "#include <" + header + ">\n";
		}
		sources.push_back(all);
		for (const std::string &includes : sources) {
			for (const std::string language : {"-x c -std=c89 -pedantic", "-x c++ -std=c++20"}) {
				const Output output =
					compile("-Iinclude/profil/original/" + flavour + " " + language,
						source(includes, flavour));

				INFO(flavour << " " << language << "\n" << includes << output.text);
				REQUIRE(output.status == 0);
				CHECK(output.text.find("U profil_" + flavour) != std::string::npos);
			}
		}
	}
}

TEST_CASE("sources of several flavours are one program", "[flavour]")
{
	const TemporaryDirectory dir;
	std::string files;

	for (const std::string &flavour : flavours) {
		const std::string file = dir / (flavour + ".c");
		std::string text = source("#include <profil/" + flavour + ".h>\n", flavour);

		text.replace(text.find("void start(void);"), 17, "");
		text.replace(text.find("void start"), 10, "void " + flavour + "_start");
		if (const auto at = text.find("int regions("); at != std::string::npos)
			text.erase(at, text.find("}\n", at) + 2 - at);
		std::ofstream(file) << text;
		files += " " + file;
	}
	std::ofstream(dir / "main.c") << "int main(void)\n{\n\treturn 0;\n}\n";
	const Output output =
		run(cc() + " -Ulinux -Iinclude -Iinclude/uapi -o " + (dir / "program") + files + " " +
		    (dir / "main.c") + " " + build_dir() + "/libprofil.a && " + (dir / "program"));

	CHECK(output.text == "");
	CHECK(output.status == 0);
}

TEST_CASE("the time between two ticks of each flavour can be queried", "[flavour]")
{
	uint64_t period = 0;

	for (const std::string &flavour : flavours) {
		CHECK(profil_flavour_period(flavour.c_str(), &period) == 0);
		CHECK(period == (flavour == "tru64" ? 976562 : 10'000'000));
	}
	CHECK(profil_flavour_period(nullptr, &period) == 0);
	CHECK(period == 10'000'000);
	CHECK(profil_flavour_period("plan9", &period) == -1);
	CHECK(errno == EINVAL);
	CHECK(profil_flavour_period("aix", nullptr) == -1);
	CHECK(errno == EFAULT);
}

TEST_CASE("the flags of each libprofil-FLAVOUR.pc are enough to build that system's sources", "[flavour]")
{
	const TemporaryDirectory dir;
	const std::string installed =
		run("DESTDIR=" + (dir / "root") + " PREFIX=/opt/profil scripts/build/install").text;

	CHECK(installed == "");
	for (const std::string &flavour : flavours) {
		const std::string config = "PKG_CONFIG_SYSROOT_DIR=" + (dir / "root") +
					   " PKG_CONFIG_PATH=" + (dir / "root/opt/profil/lib/pkgconfig") +
					   " pkg-config --cflags --libs libprofil-" + flavour;
		const Output output = run("flags=$(" + config + ") && " + cc() + " -std=gnu89 -o " +
					  (dir / "program") + " tests/guest/programs/original/original_" +
					  flavour + ".c $flags && nm -u " + (dir / "program"));

		INFO(flavour << "\n" << output.text);
		CHECK(output.status == 0);
		CHECK(output.text.find("U profil_" + flavour) != std::string::npos);
	}
}

TEST_CASE("the guide's examples of the library compile", "[flavour]")
{
	unsigned number = 0;

	for (const std::string &example : c_examples("Documentation/guide.md")) {
		const Output output = compile("-x c -O2", example);

		INFO(example << output.text);
		CHECK(example.rfind("#include <profil/", 0) == 0);
		CHECK(output.status == 0);
		number++;
	}
	CHECK(number == std::size(flavours) + 1);
}

TEST_CASE("<mon.h> of each system has monitor(), for sources of its time and of ours", "[flavour]")
{
	const std::map<std::string, std::string> entries = {{"aix", "monitor_aix"},
							    {"tru64", "monitor_tru64"},
							    {"solaris", "monitor_svid"},
							    {"irix", "monitor_svid"}};

	for (const auto &[flavour, entry] : entries) {
		const std::string ends =
			entry == "monitor_svid" ? "monitor(0, 0, 0, 0, 0)" : "monitor((char *)0)";

		for (const std::string &language : languages) {
			const Output output =
				compile("-Iinclude/profil/original/" + flavour + " " + language,
					"#include <mon.h>\nvoid end(void);\nvoid end(void)\n{\n\t" + ends +
						";\n\t(void)moncontrol(0);\n}\n");

			INFO(flavour << " " << language << "\n" << output.text);
			REQUIRE(output.status == 0);
			CHECK(output.text.find("U " + entry) != std::string::npos);
		}
	}
}
