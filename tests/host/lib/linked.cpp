// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/lib/linked.cpp  Choosing a flavour at link time, for sources that declare
 * profil() themselves.
 */
#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <vector>

using namespace support;

namespace {

/** Each system's functions in libc, and the entry points that programs linked for it call. */
const std::map<std::string, std::map<std::string, std::string>> names = {
	{"aix", {{"profil", "profil_aix"}, {"monitor", "monitor_aix"}}},
	{"bsd", {{"profil", "profil_bsd"}, {"add_profil", "add_profil_bsd"}}},
	{"irix", {{"profil", "profil_irix"}, {"sprofil", "sprofil_irix"}, {"monitor", "monitor_svid"}}},
	{"linux", {{"profil", "profil_linux"}, {"sprofil", "sprofil_linux"}}},
	{"solaris", {{"profil", "profil_solaris"}, {"monitor", "monitor_svid"}}},
	{"tru64", {{"profil", "profil_tru64"}, {"monitor", "monitor_tru64"}}},
};

/** Sources in a directory of their own, and an installed libprofil. */
class Sources {
public:
	Sources()
	{
		const Output output =
			run("DESTDIR=" + (dir_ / "root") + " PREFIX=/opt/profil scripts/build/install");

		INFO(output.text);
		REQUIRE(output.status == 0);
	}

	void write(const std::string &name, const std::string &text) const
	{
		std::ofstream(dir_ / name) << text;
	}

	/** Compile; FLAGS may contain $(libs FLAVOUR...). */
	[[nodiscard]] Output compile(const std::string &flags) const
	{
		return run("libs() { PKG_CONFIG_SYSROOT_DIR=" + (dir_ / "root") +
			   " PKG_CONFIG_PATH=" + (dir_ / "root/opt/profil/lib/pkgconfig") +
			   " pkg-config --libs $(printf 'libprofil-%s ' \"$@\"); }\nset "
			   "-e\nheaders=$PWD/include\ncd " +
			   (dir_ / "") + "\n" + cc() +
			   " -Wall -Wno-strict-prototypes -std=gnu89 -I$headers " + flags);
	}

	/** The type and name of each symbol of a program, as nm prints them: "U name", "t name". */
	[[nodiscard]] std::set<std::string> symbols(const std::string &program,
						    const std::string &options = "") const
	{
		std::set<std::string> found;
		std::istringstream lines(
			run("nm --without-symbol-versions " + options + " " + (dir_ / program)).text);

		for (std::string line; getline(lines, line);) {
			const size_t name = line.rfind(' ');

			found.insert(line.substr(name - 1));
		}
		return found;
	}

private:
	TemporaryDirectory dir_;
};

/** True if the name comes from a flavour's archive: names from libprofil.a are weak. */
bool has_own(const std::set<std::string> &symbols, const std::string &name)
{
	return symbols.count("t " + name) + symbols.count("T " + name) == 1;
}

/** A program that declares the names of a flavour itself and calls each. */
std::string declares(const std::string &flavour)
{
	std::string declarations, calls;

	for (const auto &[name, entry] : names.at(flavour)) {
		declarations += "extern int " + name + "();\n";
		calls += "\t" + name + "(0, 0, 0, 0, 0);\n";
	}
	return declarations + "int main()\n{\n" + calls + "\treturn 0;\n}\n";
}

} // namespace

TEST_CASE("the libraries of libprofil-FLAVOUR.pc choose the flavour of a source with its own declarations",
	  "[flavour][linked]")
{
	const Sources sources;

	for (const auto &[flavour, entries] : names) {
		sources.write("x.c", declares(flavour));
		for (const std::string linkage : {"-pie -fPIE", "-no-pie", "-static", "-static-pie"}) {
			const Output output = sources.compile(linkage + " -o x x.c $(libs " + flavour + ")");

			INFO(flavour << " " << linkage << "\n" << output.text);
			REQUIRE(output.text == "");
			REQUIRE(output.status == 0);

			const std::set<std::string> symbols = sources.symbols("x");
			const bool is_static = linkage.starts_with("-static");

			for (const auto &[name, entry] : entries) {
				INFO(name);
				CHECK(has_own(symbols, name));
				CHECK(symbols.count((is_static ? "T " : "U ") + entry) == 1);
			}
		}
	}
}

TEST_CASE("sources with a flavour's header and sources with declarations are one program",
	  "[flavour][linked]")
{
	const Sources sources;

	sources.write("header.c", "#include <profil/aix.h>\n"
				  "void with_header() { profil(0, 0, 0, 0); }\n");
	sources.write("declared.c", "extern void profil(), with_header();\n"
				    "int main() { with_header(); profil(0, 0, 0, 0); return 0; }\n");
	for (const std::string linkage : {"", "-static"}) {
		for (const std::string flavour : {"aix", "irix"}) {
			const Output output = sources.compile(linkage + " -o x header.c declared.c $(libs " +
							      flavour + ")");

			INFO(linkage << " " << flavour << "\n" << output.text);
			REQUIRE(output.text == "");
			REQUIRE(output.status == 0);

			const std::set<std::string> symbols = sources.symbols("x");
			const std::string type = linkage == "" ? "U " : "T ";

			CHECK(symbols.count(type + "profil_aix") == 1);
			CHECK(symbols.count(type + "profil_" + flavour) == 1);
		}
	}
}

TEST_CASE("of two flavours' archives the first that has a name defines it", "[flavour][linked]")
{
	const Sources sources;

	sources.write("x.c", declares("linux"));
	for (const std::string linkage : {"", "-static"}) {
		const Output output = sources.compile(linkage + " -o x x.c $(libs solaris irix linux)");

		INFO(linkage << "\n" << output.text);
		REQUIRE(output.text == "");
		REQUIRE(output.status == 0);

		const std::set<std::string> symbols = sources.symbols("x");

		/*
		 * The static library is one object, which also has the other flavours' entry
		 * points.
		 */
		CHECK(has_own(symbols, "profil"));
		CHECK(has_own(symbols, "sprofil"));
		if (linkage == "") {
			CHECK(symbols.count("U profil_solaris") == 1);
			CHECK(symbols.count("U sprofil_irix") == 1);
			CHECK(symbols.count("U profil_irix") == 0);
			CHECK(symbols.count("U sprofil_linux") == 0);
		}
	}
}

TEST_CASE("a flavour belongs to the shared library or executable that is linked for it", "[flavour][linked]")
{
	const Sources sources;

	sources.write("x.c", "extern int profil(), of_solaris(), of_none();\n"
			     "int main() { return profil(0, 0, 0, 0) + of_solaris() + of_none(); }\n");
	sources.write("solaris.c", "extern int profil();\n"
				   "int of_solaris() { return profil(0, 0, 0, 0); }\n");
	sources.write("none.c", "extern int profil();\n"
				"int of_none() { return profil(0, 0, 0, 0); }\n");
	for (const std::string flags :
	     {"-shared -fPIC -o libsolaris.so solaris.c $(libs solaris)",
	      "-shared -fPIC -o libnone.so none.c", "-rdynamic -o x x.c -L. -lsolaris -lnone $(libs bsd)"}) {
		const Output output = sources.compile(flags);

		INFO(flags << "\n" << output.text);
		REQUIRE(output.text == "");
		REQUIRE(output.status == 0);
	}

	const auto executable = sources.symbols("x"), exported = sources.symbols("x", "-D --defined-only");
	const auto library = sources.symbols("libsolaris.so"), none = sources.symbols("libnone.so");

	CHECK(has_own(executable, "profil"));
	CHECK(executable.count("U profil_bsd") == 1);
	CHECK(executable.count("U profil_solaris") == 0);
	CHECK(exported.count("T main") == 1);
	CHECK(!has_own(exported, "profil"));
	CHECK(has_own(library, "profil"));
	CHECK(library.count("U profil_solaris") == 1);
	CHECK(sources.symbols("libsolaris.so", "-D").count("T profil") == 0);
	CHECK(none.count("U profil") == 1);
}

TEST_CASE("a program linked for a flavour may have a monitor() of its own", "[flavour][linked]")
{
	const Sources sources;

	sources.write("x.c", "extern int profil();\n"
			     "int monitor() { return 0; }\n"
			     "int main() { return profil(0, 0, 0, 0) + monitor(); }\n");
	for (const std::string linkage : {"", "-static"}) {
		const Output output = sources.compile(linkage + " -o x x.c $(libs aix)");

		INFO(linkage << "\n" << output.text);
		CHECK(output.text == "");
		CHECK(output.status == 0);
		/* The program's own monitor() is global. */
		CHECK(sources.symbols("x").count("T monitor") == 1);
	}
}

TEST_CASE("a source's own declarations without parameters compile after the flavour's header",
	  "[flavour][linked]")
{
	const std::map<std::string, std::string> returned = {{"aix", "void"},	  {"bsd", "int"},
							     {"irix", "int"},	  {"linux", "int"},
							     {"solaris", "void"}, {"tru64", "void"}};
	const Sources sources;

	for (const auto &[flavour, type] : returned) {
		std::string text = "extern " + type + " profil();\n";

		if (names.at(flavour).count("sprofil"))
			text += "extern int sprofil();\n";
		if (flavour == "bsd")
			text += "extern int add_profil();\n";
		text += type + " profil(), work();\n" + type + " (*pointer)() = profil;\n";
		text += "static unsigned short counters[4];\nvoid work()\n{\n";
		if (flavour == "tru64")
			text += "\tprofil((struct profil_args *)counters, 1, -1, 0);\n"
				"\tprofil(counters, sizeof counters, (void *)work, 4);\n"
				"\tprofil(counters, sizeof counters, 0x400000, 4);\n";
		else
			text += "\tprofil((void *)counters, sizeof counters, (unsigned long)work, 4);\n";
		text += "\tprofil(0, 0, 0, 0);\n}\n";
		if (type == "int")
			text.replace(text.find("int profil(), work()"), 20, "void work(); int profil()");
		sources.write("x.c", text);
		for (const std::string standard : {"c89", "gnu89", "gnu11"}) {
			const Output output = sources.compile("-std=" + standard + " -include profil/" +
							      flavour + ".h -c -o x x.c");

			INFO(flavour << " " << standard << "\n" << text << output.text);
			CHECK(output.text == "");
			CHECK(output.status == 0);
			CHECK(sources.symbols("x").count("U profil_" + flavour) == 1);
			CHECK(sources.symbols("x").count("U profil") == 0);
		}
	}
}
