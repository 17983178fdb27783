// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/push.cpp  Profiles that are pushed while they are recorded. */
#include "tests/guest/cli/support.h"
#include "tests/support/collector.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sys/mount.h>

using namespace cli_test;
using support::Collector;
using support::decoded;

TEST_CASE("one program in two units is pushed as two series, and -a as one for each program", "[cli][push]")
{
	const bool everybody = GENERATE(false, true);
	const Collector collector;
	const TemporaryDirectory directory;
	const std::string mount = "/sys/fs/cgroup/";
	const std::string groups[] = {"profil.slice/profil-one.service", "profil.slice/profil-two.service"};
	std::vector<guest::Child> burns;
	std::vector<std::string> arguments = {profil_path(), "push", "--to", collector.url(),
					      "--interval",  "1s",   "-F",   "2000"};

	if (!std::filesystem::exists(mount + "cgroup.procs"))
		REQUIRE(!::mount("none", mount.c_str(), "cgroup2", 0, nullptr));
	for (const std::string &group : groups) {
		std::filesystem::create_directories(mount + group);
		burns.push_back(start({"sh", "-c",
				       "echo $$ >" + mount + group + "/cgroup.procs; exec " +
					       program("cli_burn") + " 1000000"}));
	}
	REQUIRE(soon([&] {
		return std::all_of(burns.begin(), burns.end(), [](const guest::Child &burn) {
			return has(read_file("/proc/" + std::to_string(burn.pid()) + "/comm"), "cli_burn");
		});
	}));
	if (everybody)
		arguments.push_back("-a");
	else
		arguments.insert(arguments.end(), {"-p", std::to_string(burns[0].pid()) + "," +
								 std::to_string(burns[1].pid())});
	guest::Child push = start(arguments, directory / "output");
	const auto pushed = [&] {
		std::string all;

		for (const std::string &body : collector.bodies())
			all += decoded(body);
		return all;
	};
	const auto unit = [](const char *name) {
		return "name: \"service_name\"\n    value: \"cli_burn\"\n  }\n  labels {\n    name: "
		       "\"unit\"\n    value: \"profil-" +
		       std::string(name) + ".service\"";
	};

	CHECK(soon([&] { return has(pushed(), unit("one")) && has(pushed(), unit("two")); }));
	kill(push.pid(), SIGINT);
	const int status = end_of(push);
	INFO(read_file(directory / "output"));
	CHECK(status == 0);
	burns.clear();
	for (const std::string &group : groups)
		CHECK(soon([&] { return !rmdir((mount + group).c_str()); }));
}

/** Writes each gzipped profile in a body to NAME.0, NAME.1 and so on. */
constexpr char profiles_script[] = R"(
import sys, zlib
body = open(sys.argv[1], 'rb').read()
at = number = 0
while (at := body.find(b'\x1f\x8b\x08', at)) >= 0:
    unpacked = zlib.decompressobj(31)
    try:
        profile = unpacked.decompress(body[at:])
    except zlib.error:
        at += 1
        continue
    with open('%s.%d' % (sys.argv[2], number), 'wb') as file:
        file.write(profile)
    number += 1
    at = len(body) - len(unpacked.unused_data)
)";

TEST_CASE("pushed events are types of a series, each event once", "[cli][push][source]")
{
	const Collector collector;
	const TemporaryDirectory directory;
	HeldProgram held("cli_events");
	guest::Child switching([] {
		for (;;)
			usleep(1000);
	});
	const uint64_t before = counted_ticks();
	guest::Child push = start({profil_path(), "push", "--to", collector.url(), "--interval", "1h", "-e",
				   "page-faults,cs:2", "--label", "service_name=events", "-p",
				   std::to_string(held.pid()) + "," + std::to_string(switching.pid())},
				  directory / "output");

	/* The event for context switches is attached last. */
	REQUIRE(soon([&] { return counted_ticks() >= before + 5; }));
	held.go();
	CHECK(held.end() == 0);
	kill(switching.pid(), SIGKILL);
	switching.reap();
	CHECK(end_of(push) == 0);
	INFO(read_file(directory / "output"));
	REQUIRE(collector.bodies().size() == 1);
	CHECK(has(decoded(collector.bodies().front()), "name: \"__name__\"\n    value: \"events\""));

	std::ofstream(directory / "profiles.py") << profiles_script;
	const Output unpacked = run("python3 " + (directory / "profiles.py") + " " +
				    collector.bodies().front() + " " + (directory / "profile"));
	INFO(unpacked.text);
	REQUIRE(unpacked.status == 0);
	REQUIRE_FALSE(std::filesystem::exists(directory / "profile.1"));
	const std::string file = directory / "profile.0";

	CHECK(values_of(file, "page_faults").at("fill_pages") == 10'000);
	CHECK(values_of(file, "page_faults").at("read_pages") == 5000);
	CHECK(values_of(file, "cs").at("schedule") >= 10);
	CHECK(values_of(file, "cs").at("schedule") % 2 == 0);
	CHECK(has(profil("report --value samples " + file).text, "page_faults, cs"));
	CHECK(soon(nothing_is_profiled));
}
