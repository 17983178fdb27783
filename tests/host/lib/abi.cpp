// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/lib/abi.cpp  libprofil as a linker sees it: its symbols and its
 * dependencies. */
#include "tests/support/catch.h"
#include "tests/support/programs.h"
#include "tests/support/skip.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

using namespace support;

namespace {

/** Names that programs may use. */
const std::set<std::string> documented = {
	"__fentry__",
	"__monstartup",
	"_mcleanup",
	"_mcount",
	"add_profil_bsd",
	"mcount",
	"moncontrol",
	"monitor_aix",
	"monitor_svid",
	"monitor_tru64",
	"monstartup",
	"pcsample",
	"profil",
	"profil_",
	"profil_aix",
	"profil_all_stop",
	"profil_bsd",
	"profil_counter_index",
	"profil_counter_read",
	"profil_counters_alloc",
	"profil_counters_free",
	"profil_cpu_get_status",
	"profil_cpu_pause",
	"profil_cpu_resume",
	"profil_cpu_start",
	"profil_cpu_stop",
	"profil_cpu_thread",
	"profil_cpu_write",
	"profil_explain",
	"profil_flavour_period",
	"profil_get_info",
	"profil_get_status",
	"profil_irix",
	"profil_linux",
	"profil_self_get_status",
	"profil_self_start",
	"profil_self_stop",
	"profil_session_add",
	"profil_session_close",
	"profil_session_describe",
	"profil_session_fd",
	"profil_session_finish",
	"profil_session_open",
	"profil_session_record",
	"profil_session_record_event",
	"profil_session_stop",
	"profil_session_table",
	"profil_session_wait",
	"profil_solaris",
	"profil_tru64",
	"profil_tru64_v5",
	"profil_version",
	"sprofil",
	"sprofil_irix",
	"sprofil_linux",
};

/** Names that only the library for i386 has. */
const std::set<std::string> documented_i386 = {"sprofil_irix_time64", "sprofil_linux_time64"};

/** All names of the library for i386. */
std::set<std::string> all_i386()
{
	std::set<std::string> names = documented;

	names.insert(documented_i386.begin(), documented_i386.end());
	return names;
}

/** Names that libc also has; they have no version, see libprofil.map. */
bool is_libcs(const std::string &name)
{
	static const std::set<std::string> libcs = {"__fentry__", "__monstartup", "_mcleanup",
						    "_mcount",	  "mcount",	  "moncontrol",
						    "monstartup", "profil",	  "sprofil"};

	return libcs.count(name);
}

/** @p names as nm prints them for the shared library. */
std::set<std::string> exported(const std::set<std::string> &names)
{
	std::set<std::string> with_version = {"LIBPROFIL_0.1"};

	for (const std::string &name : names)
		with_version.insert(is_libcs(name) ? name : name + "@@LIBPROFIL_0.1");
	return with_version;
}

/** The last words of the lines that a command prints. */
std::set<std::string> last_words(const std::string &command)
{
	std::set<std::string> words;
	std::istringstream lines(run(command).text);

	for (std::string line; getline(lines, line);)
		words.insert(line.substr(line.rfind(' ') + 1));
	return words;
}

void write(const std::string &path, const std::string &text)
{
	std::ofstream(path) << text;
}

/** Prints the result and errno of a profil() call that libc's own function accepts. */
constexpr char calls_profil[] = "#define _DEFAULT_SOURCE\n"
				"#include <errno.h>\n"
				"#include <stdio.h>\n"
				"#include <unistd.h>\n"
				"static unsigned short counters[16];\n"
				"int main(void)\n"
				"{\n"
				"	int result = profil(counters, sizeof counters, 0, 0x8000);\n"
				"	printf(\"%d %d\\n\", result, result ? errno : 0);\n"
				"	return 0;\n"
				"}\n";

} // namespace

TEST_CASE("the shared library exports the documented names and no others", "[abi]")
{
	CHECK(last_words("nm -D --defined-only " + build_dir() + "/libprofil.so.1") == exported(documented));
	CHECK(last_words("nm -D --defined-only " + build_dir() + "/i386/libprofil.so.1") ==
	      exported(all_i386()));
}

TEST_CASE("the Debian package's list of symbols has the documented names and no others", "[abi]")
{
	std::ifstream file("debian/libprofil1.symbols");
	std::set<std::string> listed;
	std::set<std::string> expected = {"LIBPROFIL_0.1@LIBPROFIL_0.1"};

	REQUIRE(file);
	for (std::string line; getline(file, line);) {
		if (line.starts_with(' '))
			listed.insert(line.substr(1, line.find(' ', 1) - 1));
	}
	for (const std::string &name : documented)
		expected.insert(name + (is_libcs(name) ? "@Base" : "@LIBPROFIL_0.1"));
	for (const std::string &name : documented_i386)
		expected.insert("(arch=i386)" + name + "@LIBPROFIL_0.1");
	CHECK(listed == expected);
}

TEST_CASE("the archive defines the documented names and no others", "[abi]")
{
	const auto names_in = [](const std::string &directory) {
		return last_words("nm --defined-only --extern-only --no-sort " + build_dir() + directory +
				  "/libprofil.a | grep ' '");
	};

	CHECK(names_in("") == documented);
	CHECK(names_in("/i386") == all_i386());
}

TEST_CASE("the public headers declare every exported function", "[abi]")
{
	std::string text;

	for (const std::string header :
	     {"profil.h", "pcsample.h", "profil/linux.h", "profil/solaris.h", "profil/irix.h", "profil/bsd.h",
	      "profil/tru64.h", "profil/aix.h", "profil/monitor.h", "profil/cpu.h"}) {
		std::ifstream file("include/" + header);

		REQUIRE(file);
		text += std::string(std::istreambuf_iterator<char>(file), {});
	}
	for (const std::string &name : all_i386()) {
		INFO(name);
		/* Declared by libc, by a header (perhaps with __asm__()), or by Fortran's rules. */
		CHECK((is_libcs(name) || text.find(name + "(") != std::string::npos ||
		       text.find("__asm__(\"" + name + "\")") != std::string::npos || name == "profil_"));
	}
}

TEST_CASE("the shared library needs libc alone", "[abi]")
{
	CHECK(last_words("readelf -d " + build_dir() + "/libprofil.so.1 | grep NEEDED") ==
	      std::set<std::string>{"[libc.so.6]"});
	CHECK(last_words("readelf -d " + build_dir() + "/libprofil.so.1 | grep SONAME") ==
	      std::set<std::string>{"[libprofil.so.1]"});
	CHECK(run("ldd " + build_dir() + "/libprofil.so.1 | grep -c stdc").text == "0\n");
}

TEST_CASE("the library for i386 needs libc alone, no writable text, and no SSE", "[abi]")
{
	const std::string library = build_dir() + "/i386/libprofil.so.1";

	CHECK(last_words("readelf -d " + library + " | grep NEEDED") == std::set<std::string>{"[libc.so.6]"});
	CHECK(run("readelf -d " + library + " | grep -c TEXTREL").text == "0\n");
	CHECK(run("objdump -d " + library + " | grep -c cmpxchg8b").text != "0\n");
	CHECK(run("objdump -d " + library + " | grep -c xmm").text == "0\n");
}

TEST_CASE("libprofil.so is a link to libprofil.so.1", "[abi]")
{
	CHECK(std::filesystem::read_symlink(build_dir() + "/libprofil.so") == "libprofil.so.1");
}

TEST_CASE("the pkg-config file has the version and the prefix to be filled in", "[abi]")
{
	std::ifstream file(build_dir() + "/libprofil.pc");
	const std::string text(std::istreambuf_iterator<char>(file), {});

	CHECK(text.find("prefix=@PREFIX@\n") != std::string::npos);
	CHECK(text.find("Version: 0.1.0\n") != std::string::npos);
	CHECK(text.find("Libs: -L${libdir} -lprofil\n") != std::string::npos);
}

TEST_CASE("a C program links against the archive without a C++ runtime", "[abi]")
{
	const TemporaryDirectory dir;

	write(dir / "x.c", "#include <pcsample.h>\n"
			   "#include <profil.h>\n"
			   "#include <string.h>\n"
			   "int main(void)\n"
			   "{\n"
			   "	(void)pcsample(0, 0);\n"
			   "	profil_session_close(0);\n"
			   "	return strcmp(profil_version(), PROFIL_VERSION);\n"
			   "}\n");
	for (const std::string options : {"", "-static", "-static-pie", "-no-pie"}) {
		const Output output =
			run(cc() + " -Wall -Werror -Iinclude -Iinclude/uapi " + options + " -o " + dir / "x" +
			    " " + dir / "x.c" + " " + build_dir() + "/libprofil.a && " + dir / "x");

		INFO(options << output.text);
		CHECK(output.status == 0);
	}
}

TEST_CASE("a program linked with -lprofil, shared or static, has our profil and not libc's", "[abi]")
{
	if (!access("/dev/profil", F_OK))
		support::skip("this machine has /dev/profil");

	const TemporaryDirectory dir;
	const std::string ours = " -L" + build_dir() + " -Wl,-rpath," + build_dir();

	write(dir / "x.c", calls_profil);
	for (const std::string &options : {ours + " -lprofil", "-static" + ours + " -lprofil"}) {
		INFO(options);
		CHECK(run(cc() + " -o " + dir / "x" + " " + dir / "x.c" + " " + options).text == "");
		CHECK(run(dir / "x").text == "-1 " + std::to_string(ENODEV) + "\n");
	}
}

TEST_CASE("preloaded, it takes the place of the versioned profil of libc", "[abi]")
{
	if (!access("/dev/profil", F_OK))
		support::skip("this machine has /dev/profil");

	const TemporaryDirectory dir;
	const std::string none = "-1 " + std::to_string(ENODEV) + "\n";

	write(dir / "x.c", calls_profil);
	/* Lazy or immediate binding, PIE or not: the dynamic linker looks symbols up in the same way. */
	for (const std::string options : {"", "-Wl,-z,now", "-no-pie -fno-plt", "-Wl,-z,lazy"}) {
		INFO(options);
		CHECK(run(cc() + " " + options + " -o " + dir / "x" + " " + dir / "x.c").text == "");
		CHECK(run("nm -D " + dir / "x" + " | grep -c ' profil@GLIBC'").text == "1\n");
		CHECK(run(dir / "x").text == "0 0\n");
		CHECK(run("LD_PRELOAD=" + build_dir() + "/libprofil.so.1 " + dir / "x").text == none);
	}
	/* Given a name without a path, the dynamic linker finds the 64-bit or 32-bit library. */
	for (const std::string size : {"-m64", "-m32"}) {
		INFO(size);
		CHECK(run(cc() + " " + size + " -o " + dir / "x" + " " + dir / "x.c").text == "");
		CHECK(run(dir / "x").text == "0 0\n");
		CHECK(run("LD_LIBRARY_PATH=" + build_dir() + ":" + build_dir() +
			  "/i386 LD_PRELOAD=libprofil.so.1 " + dir / "x")
			      .text == none);
	}
}
