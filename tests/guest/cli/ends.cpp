// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/ends.cpp  The end of recordings, and errors at their start. */
#include "tests/guest/cli/support.h"
#include "tests/guest/support/burner.h"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <profil.h>
#include <sys/wait.h>

using namespace cli_test;

namespace {

/** A recording in the background, attached to a process that uses CPU time. */
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
		CHECK(hottest(report(running.file)) == "burn_hot()");
		CHECK(kill(running.burn.pid(), 0) == 0);
		CHECK(entries(running.directory) == 2);
	}
	CHECK(soon(nothing_is_profiled));
}

TEST_CASE("a recording ends when its target dies", "[cli]")
{
	RunningRecord running;

	kill(running.burn.pid(), SIGKILL);
	CHECK(end_of(*running.record) == 0);
	CHECK(hottest(report(running.file)) == "burn_hot()");
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
	/* On a busy host, the first samples may all be in the kernel. */
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
	CHECK(hottest(report(running.file)) == "burn_hot()");
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

	for (const std::string backend : {"module", "perf"}) {
		const Output output = as_nobody("cd /tmp && " + profil_path() + " record --backend " +
						backend + " -o nobody.pb.gz -- touch nobody.ran");

		CHECK(output.status == 1);
		INFO(output.text);
		CHECK(has(output.text, "kernel.perf_event_paranoid is 3 (needs CAP_SYS_ADMIN; or 'sysctl "
				       "kernel.perf_event_paranoid=2', and CAP_PERFMON"));
		CHECK_FALSE(std::filesystem::exists("/tmp/nobody.ran"));
		CHECK_FALSE(std::filesystem::exists("/tmp/nobody.pb.gz"));
	}
}

TEST_CASE("an ordinary user can record their own command where the sysctl allows it", "[cli][every-kernel]")
{
	const auto setting = paranoid("2");
	const Output output = as_nobody("cd /tmp && ulimit -l 1024 && " + profil_path() +
					" record -o nobody.pb.gz -- " + program("cli_burn") + " 500");

	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json json = report("/tmp/nobody.pb.gz");

	CHECK(hottest(json) == "burn_hot()");
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
	CHECK(hottest(report(file)) == "burn_hot()");
	CHECK(insmod.status == 0);
	CHECK(profil("record -o /dev/null -- true").status == 0);
}
