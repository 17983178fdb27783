// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/lib/cpu_environment.cpp  Programs that are profiled without a change to them: by
 * PROFIL_CPU, and by the library that takes the place of gperftools'.
 */
#include "tests/guest/support/guest.h"
#include "tests/support/catch.h"
#include "tests/support/recorded.h"

#include <filesystem>
#include <fstream>
#include <sys/stat.h>

using namespace guest;
using support::build_dir;
using support::functions_in;
using support::Output;
using support::run;
using support::TemporaryDirectory;

namespace {

const std::string preload = "LD_PRELOAD=" + build_dir() + "/libprofil.so.1 PROFIL_RATE=1000 ";
const std::string replaced = "LD_LIBRARY_PATH=" + build_dir() + "/gperftools ";

/** All files in a directory, by name. */
std::vector<std::string> files_in(const TemporaryDirectory &directory)
{
	std::vector<std::string> names;

	for (const auto &file : std::filesystem::directory_iterator(directory / ""))
		names.push_back(file.path().filename());
	std::sort(names.begin(), names.end());
	return names;
}

bool has(const std::map<std::string, uint64_t> &functions, const std::string &name)
{
	return functions.count(name) == 1;
}

} // namespace

TEST_CASE_METHOD(AtRest, "PROFIL_CPU profiles a program that knows nothing of it, with its children",
		 "[lib][cpu]")
{
	const TemporaryDirectory directory;
	const Output output = run("cd " + (directory / "") + " && " + preload + "PROFIL_CPU=self.pb " +
				  program("cpu_work") + " 300");

	INFO(output.text);
	CHECK(output.status == 0);
	CHECK(output.text == "");
	REQUIRE(files_in(directory) == std::vector<std::string>{"self.pb"});
	const auto functions = functions_in(directory / "self.pb", "");
	CHECK(has(functions, "burn"));
	CHECK(has(functions, "burn_in_child"));
	(void)support::report(directory / "self.pb");
}

TEST_CASE_METHOD(AtRest, "a program that a program with PROFIL_CPU executes writes a file of its own",
		 "[lib][cpu][fork]")
{
	const TemporaryDirectory directory;
	const Output output =
		run(preload + "PROFIL_CPU=" + (directory / "self.pb") + " perl -e '$pid = fork; exec \"" +
		    program("cpu_work") + "\", 200 if !$pid; print \"$pid\\n\"; waitpid $pid, 0'");
	const std::string child = "self.pb." + output.text.substr(0, output.text.find('\n'));

	INFO(output.text);
	CHECK(output.status == 0);
	REQUIRE(files_in(directory) == std::vector<std::string>{"self.pb", child});
	CHECK(has(functions_in(directory / child, ""), "burn"));
	CHECK(!has(functions_in(directory / "self.pb", ""), "burn"));
}

TEST_CASE_METHOD(AtRest, "a program that is executed in place of one with PROFIL_CPU takes its file",
		 "[lib][cpu]")
{
	const TemporaryDirectory directory;
	const Output output = run(preload + "PROFIL_CPU=" + (directory / "self.pb") + " sh -c 'exec " +
				  program("cpu_work") + " 200'");

	INFO(output.text);
	CHECK(output.status == 0);
	REQUIRE(files_in(directory) == std::vector<std::string>{"self.pb"});
	CHECK(has(functions_in(directory / "self.pb", ""), "burn"));
}

TEST_CASE_METHOD(AtRest, "of two copies of the library, one writes the file of PROFIL_CPU", "[lib][cpu]")
{
	const TemporaryDirectory directory;
	const Output output =
		run("LD_PRELOAD=" + build_dir() + "/libprofil.so.1:" + build_dir() +
		    "/gperftools/libprofiler.so.0 PROFIL_RATE=1000 PROFIL_CPU=" + (directory / "self.pb") +
		    ' ' + program("cpu_work") + " 200");

	INFO(output.text);
	CHECK(output.status == 0);
	CHECK(output.text == "");
	REQUIRE(files_in(directory) == std::vector<std::string>{"self.pb"});
	CHECK(has(functions_in(directory / "self.pb", ""), "burn"));
}

TEST_CASE_METHOD(AtRest, "of two copies in a program that was executed in a child, one writes its file",
		 "[lib][cpu][fork]")
{
	const TemporaryDirectory directory;
	const Output output =
		run("LD_PRELOAD=" + build_dir() + "/libprofil.so.1:" + build_dir() +
		    "/gperftools/libprofiler.so.0 PROFIL_RATE=1000 PROFIL_CPU_WRITER=1 PROFIL_CPU=" +
		    (directory / "self.pb") + " sh -c 'echo $$; exec " + program("cpu_work") + " 200'");
	const std::string child = "self.pb." + output.text.substr(0, output.text.find('\n'));

	INFO(output.text);
	CHECK(output.status == 0);
	REQUIRE(files_in(directory) == std::vector<std::string>{child});
	CHECK(has(functions_in(directory / child, ""), "burn"));
}

TEST_CASE_METHOD(AtRest, "PROFIL_CPU does not take the place of a device", "[lib][cpu]")
{
	const Output output = run(preload + "PROFIL_CPU=/dev/null " + program("cpu_work") + " 10");

	CHECK(output.status == 0);
	CHECK(output.text == "libprofil: /dev/null: File exists\n");
	CHECK(std::filesystem::is_character_file("/dev/null"));
}

TEST_CASE_METHOD(AtRest,
		 "a profile that PROFIL_CPU cannot write is reported, and the program is not disturbed",
		 "[lib][cpu]")
{
	const Output output = run(preload + "PROFIL_CPU=/nowhere/self.pb " + program("cpu_work") + " 10");

	CHECK(output.status == 0);
	CHECK(output.text == "libprofil: /nowhere/self.pb: No such file or directory\n");
}

TEST_CASE_METHOD(AtRest, "a program of gperftools' CPU profiler runs unchanged", "[lib][cpu]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "profile";
	const Output output = run(replaced + program("profiler_user") + ' ' + file);

	INFO(output.text);
	CHECK(output.status == 0);
	CHECK(output.text == "libprofiler: /nowhere/profile: No such file or directory\nlibprofiler: " +
				     file + ": not profiled: a filter of threads is not supported\n");
	CHECK(has(functions_in(file, ""), "burn"));
	(void)support::report(file);
}

TEST_CASE_METHOD(AtRest, "CPUPROFILE profiles a program from its start to its exit, as with gperftools",
		 "[lib][cpu][fork]")
{
	const TemporaryDirectory directory;
	const std::string variables = "LD_PRELOAD=" + build_dir() +
				      "/gperftools/libprofiler.so.0 CPUPROFILE_FREQUENCY=1000 CPUPROFILE=" +
				      (directory / "profile");
	const Output output = run(variables + " sh -c '" + program("cpu_work") + " 200 & echo $!; wait'");
	const std::string child = "profile_" + output.text.substr(0, output.text.find('\n'));

	INFO(output.text);
	CHECK(output.status == 0);
	REQUIRE(files_in(directory) == std::vector<std::string>{"profile", child});
	const auto functions = functions_in(directory / child, "");
	CHECK(has(functions, "burn"));
	CHECK(!has(functions, "burn_in_child"));
}

TEST_CASE_METHOD(AtRest, "CPUPROFILESIGNAL starts a profile and stops it, and the next one has its own file",
		 "[lib][cpu]")
{
	const TemporaryDirectory directory;
	const Output output =
		run("LD_PRELOAD=" + build_dir() +
		    "/gperftools/libprofiler.so.0 CPUPROFILESIGNAL=12 CPUPROFILE=" + (directory / "profile") +
		    " perl -e 'kill 12, $$; for (1..2000000) { $x += $_ } kill 12, $$;" +
		    " kill 12, $$; kill 12, $$'");

	INFO(output.text);
	CHECK(output.status == 0);
	CHECK(files_in(directory) == std::vector<std::string>{"profile.0", "profile.1"});
	(void)support::report(directory / "profile.0");
}
