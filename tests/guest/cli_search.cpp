// SPDX-License-Identifier: GPL-2.0-or-later
// Recording what a search finds, and what of it may be recorded.
#include "tests/guest/cli_support.h"

#include <filesystem>
#include <fstream>
#include <optional>
#include <sys/mount.h>

using namespace cli_test;

namespace {

/** profil record of something that is searched for, until it is told to end. */
class Search {
public:
	explicit Search(std::vector<std::string> what)
	{
		std::vector<std::string> arguments = {profil_path(), "record", "-o", file_};

		arguments.insert(arguments.end(), what.begin(), what.end());
		record_.emplace(start(arguments, directory_ / "output"));
	}

	[[nodiscard]] std::string output() const { return read_file(directory_ / "output"); }

	Json end()
	{
		kill(record_->pid(), SIGINT);

		const int status = end_of(*record_);

		INFO(output());
		REQUIRE(status == 0);
		return report(file_);
	}

private:
	TemporaryDirectory directory_;
	std::string file_ = directory_ / "p.pb.gz";
	std::optional<guest::Child> record_;
};

bool is_profiled(pid_t pid)
{
	return guest::module_ticks("counted") > 0 && kill(pid, 0) == 0;
}

guest::Child burner(const std::string &mode = "")
{
	std::vector<std::string> arguments = {program("cli_burn"), "1000000"};

	if (!mode.empty())
		arguments.push_back(mode);
	return start(arguments);
}

} // namespace

TEST_CASE("the processes of a name are recorded, and those that come later", "[cli][search]")
{
	Search search({"--name", "^cli_burn"});

	REQUIRE(soon([&] { return has(search.output(), "no process matches so far"); }));

	const guest::Child first = burner();

	REQUIRE(samples_come(100));

	const guest::Child second = start({program("cli_burn_static"), "1000000"});

	REQUIRE(soon([&] { return guest::module_stat("profiles") == 2; }));
	REQUIRE(samples_come(200));

	const Json json = search.end();

	CHECK(json["processes"] == 2);
	CHECK(json["targets"] == Json::array({"cli_burn (pid " + std::to_string(first.pid()) + ")",
					      "cli_burn_static (pid " + std::to_string(second.pid()) + ")"}));
	CHECK(json["rows"][0]["function"] == "burn_hot()");
	CHECK(is_profiled(first.pid()));
}

TEST_CASE("a child that is found when it is followed already is counted once", "[cli][search]")
{
	Search search({"--name", "^cli_burn"});
	const guest::Child parent = burner("fork");

	REQUIRE(samples_come(100));
	/* Two more searches. */
	sleep(3);

	const Json json = search.end();

	CHECK(json["processes"] == 2);
	CHECK(json["targets"].size() <= 2);
	CHECK(percent(json, "burn_child()") > 0);
}

TEST_CASE("with --no-follow the children are left out", "[cli][search]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const Output output =
		profil("record --no-follow -o " + file + " -- " + program("cli_burn") + " 600 fork");

	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json json = report(file);

	CHECK(json["processes"] == 1);
	CHECK(percent(json, "burn_parent()") > 0);
	CHECK(percent(json, "burn_child()") == 0);
}

TEST_CASE("who searches everything without the right is told once for each reason, and goes on",
	  "[cli][search]")
{
	const auto setting = paranoid("2");
	const guest::Child others = burner();
	const Output output = run("su nobody -s /bin/sh -c 'cd /tmp && " + program("cli_burn") + " 20000 & " +
				  "sleep 1; su nobody -s /bin/sh -c \"cd /tmp && " + profil_path() +
				  " record -d 1 -a -o all.pb.gz\"; pkill -u nobody cli_burn'");

	INFO(output.text);
	const Json json = report("/tmp/all.pb.gz");

	CHECK(json["rows"][0]["function"] == "burn_hot()");
	CHECK(has(output.text, "not attached: permission denied"));
	CHECK(has(output.text, "(pid " + std::to_string(others.pid()) + ")"));
	std::filesystem::remove("/tmp/all.pb.gz");
}

TEST_CASE("a user's processes are recorded, and nobody else's", "[cli][search]")
{
	const guest::Child roots = burner();
	const guest::Child theirs = start({"/bin/su", "nobody", "-s", "/bin/sh", "-c",
					   "exec " + program("cli_burn_static") + " 100000"});
	Search search({"-u", "nobody"});

	REQUIRE(samples_come(100));

	const Json json = search.end();

	CHECK(json["rows"][0]["object"] == program("cli_burn_static"));
	CHECK(json["processes"] == 1);
	run("pkill -u nobody cli_burn");
}

TEST_CASE("a cgroup's processes are recorded, with those of the groups below it", "[cli][search]")
{
	const bool mounted = std::filesystem::exists("/sys/fs/cgroup/cgroup.procs");

	if (!mounted)
		REQUIRE(!mount("none", "/sys/fs/cgroup", "cgroup2", 0, nullptr));
	std::filesystem::create_directories("/sys/fs/cgroup/profil-test/below");

	const guest::Child inside = burner();
	const guest::Child outside = start({program("cli_burn_static"), "1000000"});

	std::ofstream("/sys/fs/cgroup/profil-test/below/cgroup.procs") << inside.pid() << std::endl;

	Search search({"--cgroup", "profil-test"});

	REQUIRE(samples_come(100));

	const Json json = search.end();

	CHECK(json["processes"] == 1);
	CHECK(json["rows"][0]["object"] == program("cli_burn"));
	std::ofstream("/sys/fs/cgroup/cgroup.procs") << inside.pid() << std::endl;
	std::filesystem::remove("/sys/fs/cgroup/profil-test/below");
	std::filesystem::remove("/sys/fs/cgroup/profil-test");
}
