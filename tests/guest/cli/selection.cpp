// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/selection.cpp  System-wide recordings, filtered by name, user or cgroup.
 */
#include "tests/guest/cli/support.h"
#include "tests/guest/record/support.h"
#include "tests/guest/support/held_exec.h"

#include <array>
#include <ctime>
#include <filesystem>
#include <map>
#include <optional>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>

using namespace cli_test;

namespace {

/** A profil record that runs until it is told to end. */
class Selected {
public:
	explicit Selected(std::vector<std::string> what)
	{
		std::vector<std::string> arguments = {profil_path(), "record", "-o", file_};

		arguments.insert(arguments.end(), what.begin(), what.end());
		record_.emplace(start(arguments, directory_ / "output"));
	}

	[[nodiscard]] std::string output() const { return read_file(directory_ / "output"); }
	[[nodiscard]] bool says(const std::string &text) const
	{
		return soon([&] { return has(output(), text); });
	}

	/** @param expected the exit status: 1 if nothing was recorded. */
	Json end(int expected = 0)
	{
		kill(record_->pid(), SIGINT);

		const int status = end_of(*record_);

		INFO(output());
		REQUIRE(status == expected);
		return report(file_);
	}

	/** After end(): samples by command name, or by "name (pid N)". */
	[[nodiscard]] std::map<std::string, uint64_t> rows() const { return by_process(file_); }

private:
	TemporaryDirectory directory_;
	std::string file_ = directory_ / "p.pb.gz";
	std::optional<guest::Child> record_;
};

constexpr const char *waiting = "no process matches so far";

/** Wait until a process has used @p ms more CPU time. */
bool burns(pid_t pid, int64_t ms = 200)
{
	clockid_t clock;
	timespec now = {};
	std::optional<int64_t> end;

	return !clock_getcpuclockid(pid, &clock) && soon([&] {
		clock_gettime(clock, &now);

		const int64_t used = now.tv_sec * 1000LL + now.tv_nsec / 1000000;

		end = end.value_or(used + ms);
		return used >= *end;
	});
}

guest::Child burner(const std::string &name = "cli_burn")
{
	return start({program(name), "1000000"});
}

/** Create a shell script; its process has the script's name. */
std::string script(const TemporaryDirectory &directory, const std::string &name, const std::string &text)
{
	std::ofstream(directory / name) << "#!/bin/sh\n" << text << '\n';
	std::filesystem::permissions(directory / name, std::filesystem::perms::all);
	return directory / name;
}

/** A cgroup whose members leave it at the end. */
class Cgroup {
public:
	explicit Cgroup(const std::string &name) : path_("/sys/fs/cgroup/" + name)
	{
		if (!std::filesystem::exists("/sys/fs/cgroup/cgroup.procs"))
			guest::need(mount("none", "/sys/fs/cgroup", "cgroup2", 0, nullptr), "mount");
		std::filesystem::create_directories(path_);
	}
	Cgroup(const Cgroup &) = delete;
	~Cgroup()
	{
		for (const pid_t pid : members_)
			std::ofstream("/sys/fs/cgroup/cgroup.procs") << pid << std::endl;
		std::filesystem::remove(path_);
	}
	void enter(pid_t pid)
	{
		members_.push_back(pid);
		std::ofstream(path_ + "/cgroup.procs") << pid << std::endl;
	}

private:
	std::string path_;
	std::vector<pid_t> members_;
};

} // namespace

TEST_CASE("record -a with a name keeps the processes that run and those that begin later", "[cli][search]")
{
	const guest::Child other = start({program("cli_jit"), "1000000", "none"});
	Selected record({"--name", "^cli_burn"});

	REQUIRE(record.says(waiting));

	const guest::Child first = burner();

	REQUIRE(burns(first.pid()));

	const guest::Child second = burner("cli_burn_static");

	REQUIRE(burns(second.pid()));

	const Json json = record.end();
	const std::map<std::string, uint64_t> rows = record.rows();

	CHECK(json["processes"] == 2);
	CHECK(json["targets"] == Json::array({"cli_burn (pid " + std::to_string(first.pid()) + ")",
					      "cli_burn_static (pid " + std::to_string(second.pid()) + ")"}));
	CHECK(rows.size() == 2);
	CHECK(rows.at("cli_burn") > 0);
	CHECK(rows.at("cli_burn_static") > 0);
	/* Ticks in the kernel, too, are only those of these processes. */
	CHECK(json["ticks"]["kernel"].get<uint64_t>() < json["samples"].get<uint64_t>());
	CHECK(json["ticks"]["lost_late"] == 0);
	/* No tick of another process is in the account, not even a lost one. */
	CHECK(json["ticks"]["total"] ==
	      json["ticks"]["counted"].get<uint64_t>() + json["ticks"]["kernel"].get<uint64_t>());
}

TEST_CASE("a process that is too short for a search is recorded by its name", "[cli][search]")
{
	Selected record({"--name", "^cli_burn_static$"});

	REQUIRE(record.says(waiting));
	for (int i = 0; i < 10; i++)
		REQUIRE(run(program("cli_burn_static") + " 20").status == 0);

	const Json json = record.end();

	CHECK(json["processes"] == 10);
	CHECK(json["samples"] > 10);
	/* Processes of one program share a row. */
	CHECK(record.rows().size() == 1);
}

TEST_CASE("with --per-process those that match are told apart", "[cli][search]")
{
	Selected record({"--per-process", "--name", "^cli_burn$"});

	REQUIRE(record.says(waiting));

	const guest::Child first = burner();
	const guest::Child second = burner();

	REQUIRE(burns(first.pid()));
	REQUIRE(burns(second.pid()));
	record.end();

	const std::map<std::string, uint64_t> rows = record.rows();

	CAPTURE(rows);
	CHECK(rows.contains("cli_burn " + std::to_string(first.pid())));
	CHECK(rows.contains("cli_burn " + std::to_string(second.pid())));
	CHECK(rows.size() == 2);
}

/* A process's name changes in execve(2), before the process runs the other program. */
TEST_CASE("a process in execve matches only by the name that it began with", "[cli][search]")
{
	const guest::HeldExec held("held");
	Selected record({"--per-process", "--name", "^next_name$"});

	REQUIRE(record.says(waiting));

	const guest::Child process([&] {
		for (unsigned i = 0; i < 100'000'000; i++)
			__asm__ volatile("" : : "r"(i));
		prctl(PR_SET_NAME, "next_name");
		execl(held.path().c_str(), "held", nullptr);
		_exit(1);
	});

	REQUIRE(soon([&] { return held.waits(); }));
	CHECK(record.end(1)["processes"] == 0);
	CHECK(record.rows().empty());
}

TEST_CASE("children of a match are recorded whatever they execute, unless --no-follow", "[cli][search]")
{
	const bool follow = GENERATE(true, false);
	const TemporaryDirectory directory;
	const std::string family =
		script(directory, "family", program("cli_burn_static") + " 1000000\nexit 1");
	std::vector<std::string> what = {"--name", "^family$"};

	if (!follow)
		what.push_back("--no-follow");
	CAPTURE(follow);
	Selected record(what);

	REQUIRE(record.says(waiting));

	const guest::Child parent = start({family});
	const pid_t child = child_of(parent.pid());

	REQUIRE(burns(child));

	const Json json = record.end();

	/* The child has its parent's name until it executes the program. */
	CHECK(json["processes"] == 2);
	CHECK(record.rows().contains("cli_burn_static") == follow);
	kill(child, SIGKILL);
}

TEST_CASE("a program that a match executes is the same process, and is recorded", "[cli][search]")
{
	const TemporaryDirectory directory;
	const std::string before =
		script(directory, "before", "exec " + program("cli_burn_static") + " 1000000");
	Selected record({"--no-follow", "--name", "^before$"});

	REQUIRE(record.says(waiting));

	const guest::Child process = start({before});

	REQUIRE(soon([&] {
		return has(read_file("/proc/" + std::to_string(process.pid()) + "/comm"), "cli_burn");
	}));
	REQUIRE(burns(process.pid()));
	CHECK(record.end()["processes"] == 1);
	CHECK(record.rows().contains("cli_burn_static"));
}

TEST_CASE("record -a with a user keeps that user's processes, also one that changes to the user later",
	  "[cli][search]")
{
	const guest::Child roots = burner();
	Selected record({"-u", "nobody"});

	REQUIRE(record.says(waiting));

	guest::Gate gate;
	const guest::Child becomes([&] {
		setpriority(PRIO_PROCESS, 0, 19);
		gate.wait();
		if (setresuid(65534, 65534, 65534))
			_exit(1);
		for (unsigned i = 0;; i++)
			__asm__ volatile("" : : "r"(i));
	});

	REQUIRE(burns(roots.pid()));
	gate.open();
	REQUIRE(burns(becomes.pid()));

	const Json json = record.end();

	CHECK(json["processes"] == 1);
	CHECK_FALSE(record.rows().contains("cli_burn"));
	CHECK(record.rows().size() == 1);
}

TEST_CASE("record -a with a cgroup keeps that group, and groups made below it later", "[cli][search]")
{
	const Cgroup group("profil-kept");
	const guest::Child outside = burner();
	const guest::Child inside = burner("cli_burn_static");
	Selected record({"--cgroup", "profil-kept", "-u", "0"});

	REQUIRE(record.says(waiting));
	REQUIRE(burns(outside.pid()));

	Cgroup below("profil-kept/below");

	below.enter(inside.pid());
	REQUIRE(burns(inside.pid()));

	const Json json = record.end();

	CHECK(json["processes"] == 1);
	CHECK(record.rows().size() == 1);
	CHECK(record.rows().contains("cli_burn_static"));
}

TEST_CASE("when all system-wide recordings are taken, processes of a name are searched for", "[cli][search]")
{
	std::array<guest::Recording, 4> others;

	for (guest::Recording &other : others)
		REQUIRE(other.begin_everybody() == 0);

	const guest::Child burn = burner();
	Selected record({"--name", "^cli_burn$"});

	REQUIRE(record.says("the limit of recordings of all processes is reached"));
	/* The fifth profile is that of the process found. */
	REQUIRE(soon([&] { return guest::module_stat("profiles") == 5; }));
	REQUIRE(burns(burn.pid(), 500));
	CHECK(record.end()["processes"] == 1);
	CHECK(record.rows().contains("cli_burn"));
}
