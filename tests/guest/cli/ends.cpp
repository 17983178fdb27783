// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/ends.cpp  The end of recordings, and the errors of those that cannot begin. */
#include "tests/guest/cli/support.h"
#include "tests/guest/support/burner.h"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <profil.h>

using namespace cli_test;

namespace {

/** A recording in the background, attached to a process that burns. */
struct RunningRecord {
	explicit RunningRecord(const std::string &more = "")
	{
		std::vector<std::string> arguments = {profil_path(), "record", "-o",
						      file,	     "-p",     std::to_string(burn.pid())};

		if (!more.empty())
			arguments.push_back(more);
		record.emplace(start(arguments, directory / "output"));
		REQUIRE(samples_come(200));
	}

	[[nodiscard]] std::string output() const { return read_file(directory / "output"); }

	TemporaryDirectory directory;
	std::string file = directory / "p.pb.gz";
	guest::Child burn = start({program("cli_burn"), "1000000"});
	std::optional<guest::Child> record;
};

size_t entries(const TemporaryDirectory &directory)
{
	return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(directory / ""),
						 std::filesystem::directory_iterator()));
}

/** Run a command as an ordinary user. */
Output as_nobody(const std::string &command)
{
	return run("su nobody -s /bin/sh -c '" + command + "'");
}

} // namespace

TEST_CASE("Ctrl-C ends a recording and writes its samples", "[cli]")
{
	for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
		RunningRecord running;

		kill(running.record->pid(), signal);
		CHECK(end_of(*running.record) == 0);
		INFO(running.output());
		CHECK(report(running.file)["rows"][0]["function"] == "burn_hot()");
		CHECK(kill(running.burn.pid(), 0) == 0);
		CHECK(entries(running.directory) == 2);
	}
	CHECK(soon(nothing_is_profiled));
}

TEST_CASE("a terminal that hangs up ends a recording and writes its samples", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const guest::Child burn = start({program("cli_burn"), "1000000"});
	guest::Fd master(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));

	guest::need(grantpt(master.get()), "grantpt");
	guest::need(unlockpt(master.get()), "unlockpt");
	const std::string terminal = ptsname(master.get());
	const std::string pid = std::to_string(burn.pid());
	guest::Child record([&] {
		guest::need(setsid(), "setsid");
		const int slave = guest::need(open(terminal.c_str(), O_RDWR), "its terminal");

		for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
			guest::need(dup2(slave, fd), "dup2");
		execl(profil_path().c_str(), "profil", "record", "-o", file.c_str(), "-p", pid.c_str(),
		      nullptr);
		_exit(127);
	});

	REQUIRE(samples_come(200));
	master.reset();
	CHECK(end_of(record) == 0);
	CHECK(report(file)["rows"][0]["function"] == "burn_hot()");
}

TEST_CASE("a recording of nothing has status 1 and says why, unless it is of a command", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const guest::Child asleep = start({"sleep", "1000"});

	REQUIRE(soon([&] { return guest::asleep(asleep.pid()); }));
	const Output output = profil("record -d 0.3 -o " + file + " -p " + std::to_string(asleep.pid()));

	INFO(output.text);
	CHECK(output.status == 1);
	CHECK(has(output.text, "0 samples of "));
	CHECK(has(output.text, "no ticks of the clock: no attached process used the CPU"));
	CHECK(report(file)["samples"] == 0);
	/* A command's status is its own, even if no tick came while it ran. */
	CHECK(profil("record -D 100 -o " + file + " -- true").status == 0);
	CHECK(profil("record -D 100 -o " + file + " -- false").status == 1);
}

TEST_CASE("a recording ends when its target dies", "[cli]")
{
	RunningRecord running;

	kill(running.burn.pid(), SIGKILL);
	CHECK(end_of(*running.record) == 0);
	CHECK(report(running.file)["rows"][0]["function"] == "burn_hot()");
}

TEST_CASE("samples of code that the recorder had no time to look for are in the profile when their process "
	  "ends",
	  "[cli]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const guest::Gate attached;
	guest::Child target([&] {
		attached.wait();

		const guest::Burner burner(0, 4096);

		burner.burn_until(0, [] { return false; });
	});
	const pid_t pid = target.pid();
	const uint64_t before = counted_ticks();
	guest::Child recorder =
		start({profil_path(), "record", "-o", file, "-p", std::to_string(target.pid())});
	int status = 0;

	REQUIRE(soon([] { return guest::module_stat("profiles") == 1; }));
	kill(recorder.pid(), SIGSTOP);
	REQUIRE(waitpid(recorder.pid(), &status, WUNTRACED) == recorder.pid());
	REQUIRE(WIFSTOPPED(status));
	attached.open();
	/* On a busy host, the first ones may all be in the kernel. */
	REQUIRE(samples_come(100));
	kill(target.pid(), SIGKILL);
	target.reap();

	const uint64_t counted = counted_ticks() - before;

	kill(recorder.pid(), SIGCONT);
	CHECK(end_of(recorder) == 0);
	const Json json = report(file, "object");

	CHECK(json["samples"] == counted);
	CHECK(percent(json, "[anon:" + std::to_string(pid) + "]") > 50);
}

TEST_CASE("the module drops the profiles of a killed recorder", "[cli][every-kernel]")
{
	RunningRecord running;

	kill(running.record->pid(), SIGKILL);
	CHECK(end_of(*running.record) == 128 + SIGKILL);
	CHECK(soon(nothing_is_profiled));
	CHECK(entries(running.directory) == 1);
	CHECK(kill(running.burn.pid(), 0) == 0);
}

TEST_CASE("a recording ends with a reason when all profiles are ended", "[cli][every-kernel]")
{
	RunningRecord running;

	REQUIRE(profil_all_stop() == 0);
	CHECK(end_of(*running.record) == 0);
	INFO(running.output());
	CHECK(has(running.output(), "the recording has ended: an administrator has ended all profiles"));
	CHECK(report(running.file)["rows"][0]["function"] == "burn_hot()");
}

TEST_CASE("a command's exit status and streams are passed through", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string record = "record -o " + (directory / "p") + " -- ";

	CHECK(profil(record + "sh -c 'exit 3'").status == 3);
	CHECK(profil(record + "sh -c 'kill -KILL $$'").status == 128 + SIGKILL);
	CHECK(run("echo in | " + profil_path() + " " + record + "cat 2>/dev/null").text == "in\n");
	CHECK(run(profil_path() + " " + record + "sh -c 'ulimit -l; ulimit -n' 2>/dev/null").text ==
	      run("ulimit -l; ulimit -n").text);
}

TEST_CASE("a command that cannot be executed is an error and leaves no file", "[cli]")
{
	const TemporaryDirectory directory;
	const Output output = profil("record -o " + (directory / "p") + " -- no-such-command");

	CHECK(output.status == 1);
	CHECK(output.text == "profil record: no-such-command: command not found\n");
	CHECK(entries(directory) == 0);
}

TEST_CASE("a recording ends after its duration and the command runs on", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string command = "until [ -e " + (directory / "go") + " ]; do :; done";
	guest::Child record =
		start({profil_path(), "record", "-d", "0.5", "-o", directory / "p", "sh", "-c", command},
		      directory / "output");

	CHECK(soon([&] { return has(read_file(directory / "output"), "the command is still running"); }));
	CHECK(report(directory / "p")["samples"] > 0);
	std::ofstream(directory / "go") << "go";
	CHECK(end_of(record) == 0);
	CHECK_FALSE(has(read_file(directory / "output"), "the command exited"));
}

TEST_CASE("a signal to the recorder alone also ends its command", "[cli]")
{
	const TemporaryDirectory directory;
	guest::Child record =
		start({profil_path(), "record", "-o", directory / "p", "--", program("cli_burn"), "1000000"},
		      directory / "output");

	REQUIRE(samples_come(200));
	kill(record.pid(), SIGTERM);
	CHECK(end_of(record) == 128 + SIGTERM);
	CHECK(report(directory / "p")["rows"][0]["function"] == "burn_hot()");
}

TEST_CASE("a missing process, a kernel thread and a thread are refused by name", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string record = "record -d 0.2 -o " + (directory / "p") + " -p ";

	for (const auto &[pid, why] :
	     {std::pair("999999", "no such process"), std::pair("2", "kernel thread")}) {
		const Output output = profil(record + pid);

		INFO(output.text);
		CHECK(output.status == 1);
		CHECK(has(output.text, "profil record: pid " + std::string(pid) + ": "));
		CHECK(has(output.text, why));
		CHECK(entries(directory) == 0);
	}

	const guest::Child burn = start({program("cli_burn"), "100000", "threads"});
	std::string thread;

	REQUIRE(soon([&] {
		thread = run("ls /proc/" + std::to_string(burn.pid()) + "/task | tail -n 1 | tr -d '\\n'")
				 .text;
		return !thread.empty() && thread != std::to_string(burn.pid());
	}));
	CHECK(has(profil(record + thread).text, "a thread of process " + std::to_string(burn.pid())));
}

TEST_CASE("processes that are refused do not prevent recording the others", "[cli]")
{
	const TemporaryDirectory directory;
	const guest::Child one = start({program("cli_burn"), "1000000"});
	const guest::Child two = start({program("cli_burn_static"), "1000000"});
	const Output output = profil("record -d 1 -o " + (directory / "p") + " -p 999999," +
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

TEST_CASE("a rate above the limit is refused and the error names the limit", "[cli]")
{
	const Output output = profil("record -F 60000 -p 1");

	CHECK(output.status == 1);
	CHECK(lines(output.text) == 1);
	CHECK(has(output.text, "60,000 Hz is above the limit of 50,000 Hz"));
}

TEST_CASE("a refused user is told which sysctl and which capability would help", "[cli]")
{
	const auto setting = paranoid("3");
	const Output output =
		as_nobody("cd /tmp && " + profil_path() + " record -o nobody.pb.gz -- touch nobody.ran");

	CHECK(output.status == 1);
	INFO(output.text);
	CHECK(has(output.text, "perf_event_paranoid"));
	CHECK(has(output.text, "CAP_PERFMON"));
	CHECK_FALSE(std::filesystem::exists("/tmp/nobody.ran"));
	CHECK_FALSE(std::filesystem::exists("/tmp/nobody.pb.gz"));
}

TEST_CASE("an ordinary user can record their own command where the sysctl allows it", "[cli][every-kernel]")
{
	const auto setting = paranoid("2");
	const Output output = as_nobody("cd /tmp && ulimit -l 1024 && " + profil_path() +
					" record -o nobody.pb.gz -- " + program("cli_burn") + " 500");

	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json json = report("/tmp/nobody.pb.gz");
	/* A debug kernel may take more of the time than the program. */
	const bool kernel_first = json["rows"][0]["function"] == "[kernel]";

	CHECK(json["rows"][kernel_first ? 1 : 0]["function"] == "burn_hot()");
	std::filesystem::remove("/tmp/nobody.pb.gz");
}

TEST_CASE("an ordinary user cannot profile another user's process", "[cli]")
{
	const auto setting = paranoid("2");
	const guest::Child burn = start({program("cli_burn"), "1000000"});
	const Output output = as_nobody("cd /tmp && " + profil_path() + " record -o nobody.pb.gz -p " +
					std::to_string(burn.pid()));

	CHECK(output.status == 1);
	CHECK(has(output.text, "pid " + std::to_string(burn.pid()) + ": "));
	CHECK(has(output.text, "permission denied"));
	CHECK_FALSE(std::filesystem::exists("/tmp/nobody.pb.gz"));
}

TEST_CASE("progress is shown only on a terminal", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string command = profil_path() + " record -d 2 -o " + (directory / "p") + " -- " +
				    program("cli_burn") + " 1200";
	const Output terminal = run("script -qec '" + command + "' /dev/null </dev/null");
	const Output pipe = run(command);

	INFO(terminal.text);
	CHECK(has(terminal.text, "(Ctrl-C ends)"));
	CHECK(has(terminal.text, "\r\x1b[K"));
	CHECK_FALSE(has(pipe.text, "\r"));
	CHECK_FALSE(has(pipe.text, "Ctrl-C"));
}

TEST_CASE("progress shows the CPU time of the ticks", "[cli][icount]")
{
	const Output output = run("script -qec '" + profil_path() + " record -d 1 -o /dev/null -- " +
				  program("cli_burn") + " 600' /dev/null </dev/null");

	INFO(output.text);
	CHECK(has(output.text, " % of a CPU  (Ctrl-C ends)"));
}

TEST_CASE("a recording keeps the module loaded, and record without the module uses perf events", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p";

	{
		RunningRecord running;

		CHECK(run("rmmod profil").status != 0);
		kill(running.record->pid(), SIGINT);
		CHECK(end_of(*running.record) == 0);
	}
	CHECK(soon([] { return run("rmmod profil").status == 0; }));
	const Output refused = profil("record --backend module -p 1");
	const Output recorded = profil("record -o " + file + " -- " + program("cli_burn"));
	const Output insmod = run("insmod " + guest::module_file());

	CHECK(refused.status == 1);
	CHECK(lines(refused.text) == 1);
	CHECK(has(refused.text, "profil status"));
	INFO(recorded.text);
	CHECK(recorded.status == 0);
	CHECK(has(recorded.text, "recording with perf events"));
	CHECK(report(file)["rows"][0]["function"] == "burn_hot()");
	CHECK(insmod.status == 0);
	CHECK(profil("record -o /dev/null -- true").status == 0);
}
