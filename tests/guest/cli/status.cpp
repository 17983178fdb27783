// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/status.cpp  profil status with a module: what works, which processes profile,
 * and the cost.
 */
#include "tests/guest/cli/support.h"

#include <profil.h>
#include <sys/stat.h>

using namespace cli_test;

namespace {

Json parsed(const Output &output)
{
	INFO(output.text);
	REQUIRE((output.status == 0 || output.status == 1));
	return parse_json(output.text);
}

Json status_json()
{
	return parsed(profil("status --json --no-cost"));
}

Json status_of_nobody()
{
	return parsed(run("su nobody -s /bin/sh -c '" + profil_path() + " status --json --no-cost'"));
}

Json ability(const Json &status, const std::string &key)
{
	for (const Json &one : status["abilities"]) {
		if (one["key"] == key)
			return one;
	}
	return {};
}

/** The session of a process, if status shows it. */
Json session_of(const Json &status, pid_t pid)
{
	for (const Json &session : status["sessions"]) {
		if (session["pid"] == pid)
			return session;
	}
	return {};
}

} // namespace

TEST_CASE("root can do everything with the module loaded", "[cli][status][every-kernel]")
{
	const Output output = profil("status");
	const Json json = status_json();

	INFO(output.text);
	CHECK(output.status == 0);
	CHECK(has(output.text,
		  "yes  the module is loaded: " + std::string(profil_version()) + ", as this command\n"));
	CHECK_FALSE(has(output.text, "\nno "));
	CHECK(json["all_well"] == true);
	CHECK(json["module"]["version"] == profil_version());
	CHECK(json["device"]["mode"] == "0666");
	CHECK(json["totals"]["profiles"] == guest::module_stat("profiles"));
	CHECK(json["parameters"]["max_user_pages"] == 65536);
	CHECK(json["ticks"]["ticks"] >= guest::module_ticks("counted"));
	CHECK(soon(nothing_is_profiled));
}

TEST_CASE("status shows a profile to its owner and to root", "[cli][status][every-kernel]")
{
	const TemporaryDirectory directory;
	const guest::Child burn = start({program("cli_burn"), "1000000"});
	guest::Child record = start({profil_path(), "record", "-F", "500", "-o", directory / "p.pb.gz", "-p",
				     std::to_string(burn.pid())},
				    directory / "output");

	REQUIRE(samples_come(50));
	const Json session = session_of(status_json(), record.pid());

	INFO(session);
	REQUIRE_FALSE(session.empty());
	CHECK(session["process"] == "profil");
	CHECK(session["user"] == "root");
	REQUIRE(session["profiles"].size() == 1);
	const Json profile = session["profiles"][0];

	CHECK(profile["targets"] == Json::array({{{"pid", burn.pid()}, {"process", "cli_burn"}}}));
	CHECK(profile["period_ns"] == 2000000);
	CHECK(profile["state"] == "running");
	CHECK(profile["counted"] >= 50);
	CHECK(has(profil("status --no-cost").text, "cli_burn (pid " + std::to_string(burn.pid()) + ")\n"));

	const Json others = status_of_nobody();

	CHECK(others["sessions"].empty());
	CHECK(others["other_profiles"] == 1);
	CHECK(others["hidden_processes"] > 0);
	kill(record.pid(), SIGINT);
	CHECK(end_of(record) == 0);
}

TEST_CASE("status agrees with the kernel about which users may profile which processes", "[cli][status]")
{
	{
		const auto setting = paranoid("2");
		const Json json = status_of_nobody();

		CHECK(json["all_well"] == false);
		CHECK(ability(json, "own")["can"] == true);
		CHECK(ability(json, "kernel")["commands"] ==
		      Json({"sudo sysctl kernel.perf_event_paranoid=1"}));
		CHECK(ability(json, "others")["can"] == false);
	}
	{
		const auto setting = paranoid("1");

		CHECK(ability(status_of_nobody(), "kernel")["can"] == true);
	}
	{
		const auto setting = paranoid("3");
		const Json own = ability(status_of_nobody(), "own");

		/* Level 3 is Debian's; without its patch it acts as level 2. */
		CHECK(own["can"] == own["commands"].empty());
		if (own["can"] == false)
			CHECK(own["commands"] == Json({"sudo sysctl kernel.perf_event_paranoid=2"}));
	}
}

TEST_CASE("a command that status suggests makes profiling work", "[cli][status]")
{
	const auto setting = paranoid("2");
	const Json kernel = ability(status_of_nobody(), "kernel");

	REQUIRE(kernel["commands"].size() == 1);
	const std::string command = kernel["commands"][0].get<std::string>();

	REQUIRE(command.starts_with("sudo "));
	REQUIRE(run(command.substr(5)).status == 0);
	CHECK(ability(status_of_nobody(), "kernel")["can"] == true);
}

TEST_CASE("status shows the mode of a device that cannot be opened and the group that may open it",
	  "[cli][status]")
{
	struct stat before;

	REQUIRE(stat("/dev/profil", &before) == 0);
	REQUIRE(chmod("/dev/profil", 0600) == 0);
	const Json forbidden = ability(status_of_nobody(), "device");

	REQUIRE(chown("/dev/profil", 0, 6) == 0);
	REQUIRE(chmod("/dev/profil", 0660) == 0);
	const Json by_group = ability(status_of_nobody(), "device");

	CHECK(chown("/dev/profil", before.st_uid, before.st_gid) == 0);
	CHECK(chmod("/dev/profil", before.st_mode & 07777) == 0);
	CHECK(forbidden["can"] == false);
	CHECK(has(forbidden["text"], "mode 0600, user root, group root"));
	CHECK(has(forbidden["commands"][0], "/etc/udev/rules.d/60-profil.rules"));
	CHECK(by_group["commands"] == Json({"sudo usermod -aG disk nobody"}));
	CHECK(ability(status_of_nobody(), "device")["can"] == true);
}

TEST_CASE("status shows a cost near the measured cost of a tick", "[cli][status][icount]")
{
	const Output output = profil("status --json");

	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json json = parse_json(output.text);

	REQUIRE_FALSE(json["cost"].is_null());
	CHECK(json["cost"]["rate_hz"] == 1000);
	CHECK(json["cost"]["interruptions"] >= 50);
	CHECK(json["cost"]["tick_ns"] > 100);
	CHECK(json["cost"]["tick_ns"] < 200000);
	CHECK(soon(nothing_is_profiled));
}

TEST_CASE("status shows the expected cost of profiling a process", "[cli][status][icount]")
{
	const guest::Child burn = start({program("cli_burn"), "1000000"});
	const Json json = parsed(profil("status --json --cost -F 500 -p " + std::to_string(burn.pid())));
	const Json target = json["target"];

	INFO(json);
	REQUIRE_FALSE(json["switch_cost"].is_null());
	CHECK(json["switch_cost"]["pairs"] >= 9);
	CHECK(json["switch_cost"]["plain_ns"] > 100);
	CHECK(json["switch_cost"]["low_ns"] <= json["switch_cost"]["switch_ns"]);
	CHECK(json["switch_cost"]["switch_ns"] <= json["switch_cost"]["high_ns"]);
	CHECK(target["pid"] == burn.pid());
	CHECK(target["process"] == "cli_burn");
	CHECK(target["rate_hz"] == 500);
	/* The process runs while status sleeps for a second. */
	CHECK(target["cpus"] > 0.5);
	CHECK(target["cpus"] < 1.1);
	CHECK(soon(nothing_is_profiled));
}

TEST_CASE("status explains why it has no cost for a process that cannot be profiled", "[cli][status]")
{
	const Output output = profil("status --cost -p 2");

	INFO(output.text);
	CHECK(has(output.text, "\ntarget   "));
	CHECK(has(output.text, "that is a kernel thread: it has no program to profile\n"));
	CHECK(parsed(profil("status --json --cost -p 2"))["target"].is_null());
}

TEST_CASE("status says how to load the module when it is not loaded", "[cli][status]")
{
	REQUIRE(guest::soon([] { return guest::unload_module() == 0; }));
	const Output output = profil("status --json");

	REQUIRE(guest::load_module() == 0);
	INFO(output.text);
	CHECK(output.status == 1);
	const Json json = parse_json(output.text);

	CHECK(json["module"]["loaded"] == false);
	CHECK(ability(json, "module")["can"] == false);
	CHECK(ability(json, "module")["commands"].size() >= 1);
	/* Without the module, perf events are used. */
	CHECK(ability(json, "perf")["can"] == true);
	CHECK(ability(json, "own")["can"] == true);
	CHECK(guest::soon([] { return profil("status --no-cost").status == 0; }));
}
