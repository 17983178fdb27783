// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/search.cpp  Recordings of processes found by name, user or cgroup. */
#include "tests/guest/cli/support.h"

#include <filesystem>
#include <fstream>
#include <optional>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/syscall.h>

using namespace cli_test;

namespace {

/**
 * A profil record that searches for processes until it is told to end.  Without --kernel it would
 * make a system-wide recording instead of searching.
 */
class Search {
public:
	explicit Search(std::vector<std::string> what)
	{
		std::vector<std::string> arguments = {profil_path(), "record", "--kernel", "-o", file_};

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

/** Waits until a file has been opened a number of times. */
class Opens {
public:
	explicit Opens(const std::string &path)
		: events_(guest::need(inotify_init1(IN_NONBLOCK | IN_CLOEXEC), "inotify_init1"))
	{
		guest::need(inotify_add_watch(events_.get(), path.c_str(), IN_OPEN), path.c_str());
	}

	/**
	 * The kernel drops an event that repeats the last unread one, so each search counts once.
	 */
	[[nodiscard]] bool come(unsigned times) const
	{
		return soon([&] {
			inotify_event event;

			if (read(events_.get(), &event, sizeof event) > 0)
				times--;
			return times == 0;
		});
	}

private:
	guest::Fd events_;
};

guest::Child burner(const std::string &mode = "")
{
	std::vector<std::string> arguments = {program("cli_burn"), "1000000"};

	if (!mode.empty())
		arguments.push_back(mode);
	return start(arguments);
}

} // namespace

TEST_CASE("processes of a name are recorded, including later ones", "[cli][search]")
{
	Search search({"--name", "^cli_burn"});

	REQUIRE(soon([&] { return has(search.output(), "no process matches so far"); }));

	const guest::Child first = burner();

	REQUIRE(samples_come(100));

	const guest::Child second = start({program("cli_burn_static"), "1000000"});

	REQUIRE(soon([&] { return guest::module_stat("images") == 2; }));
	REQUIRE(samples_come(200));

	const Json json = search.end();

	CHECK(json["processes"] == 2);
	CHECK(json["targets"] == Json::array({"cli_burn (pid " + std::to_string(first.pid()) + ")",
					      "cli_burn_static (pid " + std::to_string(second.pid()) + ")"}));
	CHECK(hottest(json) == "burn_hot()");
}

TEST_CASE("a child that is both followed and found is counted once", "[cli][search]")
{
	Search search({"--name", "^cli_burn"});
	const guest::Child parent = burner("told");

	REQUIRE(samples_come(100));
	kill(parent.pid(), SIGUSR1);
	REQUIRE(soon([&] { return guest::module_stat("images") == 2; }));

	/* The searches that find these two also see the child. */
	std::vector<guest::Child> later;

	for (unsigned i = 0; i < 2; i++) {
		later.push_back(start({program("cli_burn_static"), "1000000"}));
		REQUIRE(soon([&] { return guest::module_stat("images") >= 3 + i; }));
		CHECK(guest::module_stat("images") == 3 + i);
	}
	/* The parent waits for its child, so from now on all samples are the child's. */
	for (const guest::Child &one : later)
		kill(one.pid(), SIGSTOP);
	REQUIRE(samples_come(20));

	const Json json = search.end();

	CHECK(json["processes"] == 4);
	CHECK(json["targets"].size() == 3);
	CHECK(percent(json, "burn_child()") > 0);
}

TEST_CASE("with --no-follow children are not recorded", "[cli][search]")
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

TEST_CASE("a search reports each reason for refused processes once and goes on", "[cli][search]")
{
	const auto setting = paranoid("2");
	const TemporaryDirectory directory;
	const std::string file = directory / "all.pb.gz";

	std::filesystem::permissions(directory / "", std::filesystem::perms::all);
	const Output output =
		run("su nobody -s /bin/sh -c '" + program("cli_burn") + " 1000000 & " + profil_path() +
		    " record -d 4 -a -o " + file + "; status=$?; kill $!; exit $status'");

	INFO(output.text);
	REQUIRE(output.status == 0);
	CHECK(hottest(report(file)) == "burn_hot()");

	const size_t first = output.text.find("not attached: permission denied");

	REQUIRE(first != output.text.npos);
	CHECK(output.text.find("not attached: permission denied", first + 1) == output.text.npos);
}

TEST_CASE("a program that can be read only later has its names", "[cli][search]")
{
	const auto setting = paranoid("2");
	const TemporaryDirectory directory;
	const std::string file = directory / "all.pb.gz", burn = directory / "burn";

	std::filesystem::permissions(directory / "", std::filesystem::perms::all);
	std::filesystem::copy_file(program("cli_burn"), burn);
	std::filesystem::permissions(burn, std::filesystem::perms(0755));
	const guest::Child burner =
		start({"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", burn, "1000000"});
	REQUIRE(soon(
		[&] { return read_file("/proc/" + std::to_string(burner.pid()) + "/comm") == "burn\n"; }));
	std::filesystem::permissions(burn, std::filesystem::perms(0711));
	guest::Child record =
		start({"su", "nobody", "-s", "/bin/sh", "-c",
		       profil_path() + " record -d 4 -p " + std::to_string(burner.pid()) + " -o " + file},
		      directory / "output");

	REQUIRE(samples_come(20));
	std::filesystem::permissions(burn, std::filesystem::perms(0755));
	const int status = end_of(record);
	INFO(read_file(directory / "output"));
	REQUIRE(status == 0);
	CHECK(hottest(report(file)) == "burn_hot()");
}

TEST_CASE("a program that overlayfs has copied up has its names", "[cli][search]")
{
	const auto setting = paranoid("2");
	const TemporaryDirectory directory;
	const std::string burn = directory / "merged/burn";

	for (const char *const name : {"lower", "upper", "work", "merged"})
		std::filesystem::create_directory(directory / name);
	std::filesystem::permissions(directory / "", std::filesystem::perms::all);
	std::filesystem::copy_file(program("cli_burn"), directory / "lower/burn");
	REQUIRE(run("mount -t overlay -o lowerdir=" + (directory / "lower") +
		    ",upperdir=" + (directory / "upper") + ",workdir=" + (directory / "work") + " overlay " +
		    (directory / "merged"))
			.status == 0);
	/* Changing the program's mode copies it up. */
	std::filesystem::permissions(burn, std::filesystem::perms(0755));
	{
		const guest::Child burner = start(
			{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", burn, "1000000"});
		const std::string file = directory / "p.pb.gz";

		/* Until setpriv executes the program, the process is root's. */
		REQUIRE(soon([&] {
			return read_file("/proc/" + std::to_string(burner.pid()) + "/comm") == "burn\n";
		}));
		const Output output = run("su nobody -s /bin/sh -c '" + profil_path() + " record -d 2 -p " +
					  std::to_string(burner.pid()) + " -o " + file + "'");

		INFO(output.text);
		CHECK(output.status == 0);
		CHECK(hottest(report(file)) == "burn_hot()");
	}
	CHECK(umount((directory / "merged").c_str()) == 0);
}

TEST_CASE("the counters of a hundred processes fit in the available memory", "[cli][search]")
{
	const TemporaryDirectory directory;
	const std::string napper = directory / "napper";
	std::vector<guest::Child> nappers;

	std::filesystem::copy("/bin/sleep", napper);
	for (int i = 0; i < 100; i++)
		nappers.push_back(start({napper, "1000"}));
	/* Wait for all of them to sleep, or their start would be in the samples. */
	for (const guest::Child &one : nappers)
		REQUIRE(soon([&] {
			return read_file("/proc/" + std::to_string(one.pid()) + "/syscall")
				.starts_with(std::to_string(SYS_clock_nanosleep) + " ");
		}));

	const guest::Child burn = burner();
	Search search({"--max-memory", "16M", "--name", "^(napper|cli_burn)$"});

	REQUIRE(samples_come(200));

	const Json json = search.end();

	CHECK(json["processes"] == 101);
	CHECK_FALSE(has(search.output(), "not attached"));
	CHECK(hottest(json) == "burn_hot()");
}

TEST_CASE("a process that enters a cgroup later is found", "[cli][search]")
{
	if (!std::filesystem::exists("/sys/fs/cgroup/cgroup.procs"))
		REQUIRE(!mount("none", "/sys/fs/cgroup", "cgroup2", 0, nullptr));
	std::filesystem::create_directories("/sys/fs/cgroup/profil-later");

	const guest::Child burn = burner();
	Search search({"--cgroup", "profil-later"});

	REQUIRE(soon([&] { return has(search.output(), "no process matches so far"); }));
	/* Wait for two searches, which must find nothing and change nothing. */
	REQUIRE(Opens("/sys/fs/cgroup/profil-later/cgroup.procs").come(2));
	std::ofstream("/sys/fs/cgroup/profil-later/cgroup.procs") << burn.pid() << std::endl;
	REQUIRE(samples_come(50));
	CHECK(search.end()["processes"] == 1);
	std::ofstream("/sys/fs/cgroup/cgroup.procs") << burn.pid() << std::endl;
	std::filesystem::remove("/sys/fs/cgroup/profil-later");
}

TEST_CASE("only a given user's processes are recorded", "[cli][search]")
{
	const guest::Child roots = burner();
	const guest::Child theirs = start({"/bin/su", "nobody", "-s", "/bin/sh", "-c",
					   "exec " + program("cli_burn_static") + " 100000"});
	Search search({"-u", "nobody"});

	REQUIRE(samples_come(100));

	const Json json = search.end();

	CHECK(has_rows_of(json, program("cli_burn_static")));
	CHECK_FALSE(has_rows_of(json, program("cli_burn")));
	CHECK(json["processes"] == 1);
	run("pkill -u nobody cli_burn");
}

TEST_CASE("a cgroup's processes are recorded with those of the groups below it", "[cli][search]")
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
	CHECK(has_rows_of(json, program("cli_burn")));
	CHECK_FALSE(has_rows_of(json, program("cli_burn_static")));
	std::ofstream("/sys/fs/cgroup/cgroup.procs") << inside.pid() << std::endl;
	std::filesystem::remove("/sys/fs/cgroup/profil-test/below");
	std::filesystem::remove("/sys/fs/cgroup/profil-test");
}
