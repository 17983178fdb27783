// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/record/ends.cpp  How recordings end, and the errors of those
 * that cannot begin. */
#include "tests/host/cli/recorded.h"
#include "tests/support/terminal.h"

#include <fcntl.h>
#include <fstream>

using namespace support;
namespace fs = std::filesystem;
using terminal_test::Terminal;

namespace {

size_t entries(const TemporaryDirectory &directory)
{
	return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(directory / ""),
						 std::filesystem::directory_iterator()));
}

/** Skip the test where process 2 is not kthreadd, as in a container. */
void need_kthreadd()
{
	if (!fs::exists("/proc/2/comm") || read_file("/proc/2/comm") != "kthreadd\n")
		skip("process 2 is not a thread of the kernel here");
}

} // namespace

TEST_CASE("a terminal that hangs up ends a recording and writes its samples", "[perf][recorded]")
{
	need_perf();

	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const Child burn = burner();
	Fd master(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));

	need(grantpt(master.get()), "grantpt");
	need(unlockpt(master.get()), "unlockpt");
	const std::string terminal = ptsname(master.get());
	const std::string pid = std::to_string(burn.pid());
	Child record([&] {
		need(setsid(), "setsid");
		/* Under nohup(1), SIGHUP is ignored, and record would keep ignoring it. */
		signal(SIGHUP, SIG_DFL);
		const int slave = need(open(terminal.c_str(), O_RDWR), "its terminal");

		for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
			need(dup2(slave, fd), "dup2");
		execl(profil_path().c_str(), "profil", "record", "--backend", "perf", "-o", file.c_str(),
		      "-p", pid.c_str(), nullptr);
		_exit(127);
	});

	REQUIRE(samples_come(record, burn.pid(), 200));
	master.reset();
	CHECK(end_of(record) == 0);
	CHECK(report(file)["rows"][0]["function"] == "burn_hot()");
}

TEST_CASE("a recording of nothing has status 1 and says why, unless it is of a command", "[perf][recorded]")
{
	need_perf();

	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const Child sleeper = start({"sleep", "1000"});

	REQUIRE(soon([&] { return asleep(sleeper.pid()); }));
	const Output output =
		profil("record --backend perf -d 0.3 -o " + file + " -p " + std::to_string(sleeper.pid()));

	INFO(output.text);
	CHECK(output.status == 1);
	CHECK(has(output.text, "0 samples of "));
	CHECK(has(output.text, "no ticks of the clock: no attached process used the CPU"));
	CHECK(report(file)["samples"] == 0);
	/* The status is the command's, even if no tick came while it ran. */
	CHECK(profil("record --backend perf -D 100 -o " + file + " -- true").status == 0);
	CHECK(profil("record --backend perf -D 100 -o " + file + " -- false").status == 1);
}

TEST_CASE("a command's exit status and streams are passed through", "[perf][recorded]")
{
	need_perf();

	const TemporaryDirectory directory;
	const std::string record = "record --backend perf -o " + (directory / "p") + " -- ";

	CHECK(profil(record + "sh -c 'exit 3'").status == 3);
	CHECK(profil(record + "sh -c 'kill -KILL $$'").status == 128 + SIGKILL);
	CHECK(run("echo in | " + profil_path() + " " + record + "cat 2>/dev/null").text == "in\n");
	CHECK(run(profil_path() + " " + record + "sh -c 'ulimit -l; ulimit -n' 2>/dev/null").text ==
	      run("ulimit -l; ulimit -n").text);
}

TEST_CASE("a command that cannot be executed is an error and leaves no file", "[perf][recorded]")
{
	need_perf();

	const TemporaryDirectory directory;
	const Output output = profil("record --backend perf -o " + (directory / "p") + " -- no-such-command");

	CHECK(output.status == 1);
	CHECK(output.text == "profil record: no-such-command: command not found\n");
	CHECK(entries(directory) == 0);
}

TEST_CASE("a recording ends after its duration and the command runs on", "[perf][recorded]")
{
	need_perf();

	const TemporaryDirectory directory;
	const std::string command = "until [ -e " + (directory / "go") + " ]; do :; done";
	Child record = start({profil_path(), "record", "--backend", "perf", "-d", "0.5", "-o",
			      directory / "p", "sh", "-c", command},
			     directory / "output");

	CHECK(soon([&] { return has(read_file(directory / "output"), "the command is still running"); }));
	CHECK(report(directory / "p")["samples"] > 0);
	std::ofstream(directory / "go") << "go";
	CHECK(end_of(record) == 0);
	CHECK_FALSE(has(read_file(directory / "output"), "the command exited"));
}

TEST_CASE("a command that ends is not said to be still running", "[perf][recorded]")
{
	need_perf();
	for (int i = 0; i < 20; i++) {
		const Output output = profil("record --backend perf -o /dev/null -- sh -c 'exit 3'");

		CAPTURE(i, output.text);
		CHECK(output.status == 3);
		CHECK_FALSE(has(output.text, "still running"));
	}
}

TEST_CASE("a signal to the recorder alone also ends its command", "[perf][recorded]")
{
	need_perf();

	const TemporaryDirectory directory;
	Child record = start({profil_path(), "record", "--backend", "perf", "-o", directory / "p", "--",
			      program("cli_burn"), "1000000"},
			     directory / "output");

	REQUIRE(soon([&] { return has_attached(record); }));
	REQUIRE(process_runs_for(child_of(record.pid()), 200'000'000));
	kill(record.pid(), SIGTERM);
	CHECK(end_of(record) == 128 + SIGTERM);
	CHECK(report(directory / "p")["rows"][0]["function"] == "burn_hot()");
}

TEST_CASE("a missing process, a kernel thread and a thread are refused by name", "[perf][recorded]")
{
	need_perf();
	need_kthreadd();

	const TemporaryDirectory directory;
	const std::string record = "record --backend perf -d 0.2 -o " + (directory / "p") + " -p ";

	for (const auto &[pid, why] :
	     {std::pair("4194304", "no such process"), std::pair("2", "kernel thread")}) {
		const Output output = profil(record + pid);

		INFO(output.text);
		CHECK(output.status == 1);
		CHECK(has(output.text, "profil record: pid " + std::string(pid) + ": "));
		CHECK(has(output.text, why));
		CHECK(entries(directory) == 0);
	}

	const Child burn = start({program("cli_burn"), "100000", "threads"});
	std::string thread;

	REQUIRE(soon([&] {
		thread = run("ls /proc/" + std::to_string(burn.pid()) + "/task | tail -n 1 | tr -d '\\n'")
				 .text;
		return !thread.empty() && thread != std::to_string(burn.pid());
	}));
	CHECK(has(profil(record + thread).text, "a thread of process " + std::to_string(burn.pid())));
}

TEST_CASE("a thread given as a process and a missing thread are refused", "[perf][recorded]")
{
	need_perf();

	const Child burn = start({program("cli_burn"), "100000", "pair"});
	const std::string pid = std::to_string(burn.pid());
	const std::string cold = std::to_string(thread_named(burn.pid(), "cold"));
	const Output as_process = profil("record --backend perf -p " + cold);
	const Output gone = profil("record --backend perf -t 4194304");
	const Output both = profil("record --backend perf -t " + cold + " -p " + pid);

	CHECK(as_process.status == 1);
	CHECK(has(as_process.text, "that is a thread of process " + pid + " (give -p " + pid +
					   " for all threads, -t " + cold + " for this one)"));
	CHECK(gone.status == 1);
	CHECK(has(gone.text, "there is no such thread"));
	CHECK(both.status == 2);
	CHECK(has(both.text, "give either -p or -t, not both"));
}

TEST_CASE("progress is shown only on a terminal", "[perf][recorded]")
{
	need_perf();

	const TemporaryDirectory directory;
	const std::string command = profil_path() + " record --backend perf -d 2 -o " + (directory / "p") +
				    " -- " + program("cli_burn") + " 1200";
	const Output terminal = run("script -qec '" + command + "' /dev/null </dev/null");
	const Output pipe = run(command);

	INFO(terminal.text);
	CHECK(has(terminal.text, "(Ctrl-C ends)"));
	CHECK(has(terminal.text, "\r\x1b[K"));
	CHECK_FALSE(has(pipe.text, "\r"));
	CHECK_FALSE(has(pipe.text, "Ctrl-C"));
}

TEST_CASE("a recording that is killed leaves its last checkpoint, which report reads", "[perf][recorded]")
{
	need_perf();

	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz", part = file + ".part";
	const Child burn = burner();
	const std::string pid = std::to_string(burn.pid());
	Child record = start(
		{profil_path(), "record", "--backend", "perf", "--checkpoint", "1s", "-o", file, "-p", pid});

	REQUIRE(soon([&] { return fs::exists(part); }));
	kill(record.pid(), SIGKILL);
	CHECK(end_of(record) == 128 + SIGKILL);
	CHECK_FALSE(fs::exists(file));
	const Output output = profil("report --json " + part);

	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json json = parse_json(output.text);

	CHECK(json["samples"] > 0);
	CHECK(json["rows"][0]["function"] == "burn_hot()");
	/* A recording that ends before its first checkpoint leaves an earlier checkpoint alone. */
	REQUIRE(profil("record --backend perf -d 0.2 -o " + file + " -p " + pid).status == 0);
	CHECK(fs::exists(part));
}

TEST_CASE("no checkpoint is made when the file itself is due", "[perf][recorded]")
{
	need_perf();

	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const Child burn = burner();

	/* The directory would make a checkpoint fail, with a message. */
	fs::create_directory(file + ".part");
	const Output output = run(profil_path() + " record --backend perf --checkpoint 1s -d 1.5 -o " + file +
				  " -p " + std::to_string(burn.pid()));

	INFO(output.text);
	CHECK(output.status == 0);
	CHECK_FALSE(has(output.text, "no checkpoint"));
	CHECK(report(file)["samples"] > 0);
}

TEST_CASE("where no directory has room, a user on the terminal can make room and try again",
	  "[perf][recorded]")
{
	need_perf();

	const TemporaryDirectory directory;
	const std::string file = directory / "p";
	Terminal terminal(250, 30);

	/* A limit on the size of files simulates a full disk, and can be raised later. */
	terminal.run("ulimit -S -f 1; " + profil_path() + " record --backend perf -o " + file +
		     " -- python3 -c 'sum(i * i for i in range(300000))'");
	REQUIRE(terminal.shows("press Enter to try again"));
	CHECK_FALSE(fs::exists(file));
	REQUIRE(run("for pid in $(pgrep -x profil); do if grep -q " + file +
		    " /proc/$pid/cmdline; then exec prlimit --fsize=unlimited --pid $pid; fi; done; false")
			.status == 0);
	terminal.press("Enter");
	CHECK(soon([&] { return fs::exists(file); }));
	CHECK(report(file)["samples"] > 0);
}

TEST_CASE("processes that are refused do not prevent recording the others", "[perf][recorded]")
{
	need_perf();

	const TemporaryDirectory directory;
	const Child one = start({program("cli_burn"), "1000000"});
	const Child two = start({program("cli_burn_static"), "1000000"});
	const Output output = profil("record --backend perf -d 1 -o " + (directory / "p") + " -p 999999," +
				     std::to_string(one.pid()) + ",2," + std::to_string(two.pid()));

	INFO(output.text);
	CHECK(output.status == 0);
	CHECK(has(output.text, "pid 999999: there is no such process"));
	const Json json = report(directory / "p", "object");

	CHECK(json["processes"] == 2);
	CHECK(json["targets"].size() == 2);
	CHECK(percent(json, program("cli_burn")) > 5);
	CHECK(percent(json, program("cli_burn_static")) > 5);
}

TEST_CASE("on a full disk the profile goes to another directory, and the message says where",
	  "[perf][recorded]")
{
	need_perf();
	if (run("unshare --mount true").status)
		skip("only root can mount a file system");

	const TemporaryDirectory directory;
	const std::string full = directory / "full";

	fs::create_directory(full);
	/* A disk in a mount namespace of its own, which ends with the shell. */
	const Output output =
		run("unshare --mount sh -c 'mount -t tmpfs -o size=4k full " + full + " && " + profil_path() +
		    " record --backend perf -o " + full +
		    "/p -- python3 -c \"sum(i * i for i in range(3000000))\"; echo status $?; ls -A " + full +
		    "'");
	const std::string before = "the profile is in ";
	const size_t start = output.text.find(before);

	INFO(output.text);
	CHECK(output.text.ends_with("status 1\n"));
	CHECK(has(output.text, "/p: No space left on device: the profile is in "));
	REQUIRE(start != output.text.npos);

	const std::string kept = output.text.substr(
		start + before.size(), output.text.find(' ', start + before.size()) - start - before.size());

	CHECK(report(kept)["samples"] > 0);
	fs::remove(kept);
}
