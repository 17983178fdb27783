// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/everybody.cpp  Recordings of the whole machine, by program or by process.
 */
#include "tests/guest/cli/support.h"

#include <map>

using namespace cli_test;

TEST_CASE("record -a has who runs already and who is started later, by program", "[cli][every-kernel]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const guest::Child before = start({program("cli_burn"), "1000000"});
	guest::Child record = start({profil_path(), "record", "-a", "-o", file}, directory / "output");

	REQUIRE(samples_come(100));
	REQUIRE(run(program("cli_burn_static") + " 500").status == 0);
	kill(record.pid(), SIGINT);
	const int status = end_of(record);
	INFO(read_file(directory / "output"));
	REQUIRE(status == 0);

	std::map<std::string, uint64_t> rows = by_process(file);

	CHECK(rows["cli_burn"] > 50);
	CHECK(rows["cli_burn_static"] > 50);
}

TEST_CASE("record -a with a command records all processes, the command among them, while it runs",
	  "[cli][every-kernel]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const guest::Child before = start({program("cli_burn"), "1000000"});
	const std::string burn = program("cli_burn_static") + " " + std::to_string(500 * guest::slowness());

	for (const std::string options : {"", "--kernel-at call "}) {
		const Output output =
			profil("record -a " + options + "-o " + file + " -- sh -c '" + burn + "; exit 3'");

		INFO(output.text);
		CHECK(output.status == 3);
		CHECK(has(output.text, "the command exited with status 3"));

		const Json json = report(file, "object");

		CHECK(percent(json, program("cli_burn")) > 0);
		CHECK(percent(json, program("cli_burn_static")) > 0);
	}
	CHECK(nothing_is_profiled());
	CHECK(profil("record -a -o " + file + " -- sh -c 'kill -KILL $$'").status == 128 + SIGKILL);
}

TEST_CASE("record --per-process tells apart processes of one program, children too", "[cli][every-kernel]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const Output output =
		profil("record --per-process -o " + file + " -- " + program("cli_burn") + " 500 fork");

	INFO(output.text);
	REQUIRE(output.status == 0);
	std::map<std::string, uint64_t> rows = by_process(file);

	/* Interrupts are not processes. */
	std::erase_if(rows, [](const auto &row) { return row.first.starts_with("["); });
	CHECK(rows.size() == 2);
	for (const auto &[name, samples] : rows) {
		CAPTURE(name);
		CHECK(name.starts_with("cli_burn "));
		CHECK(samples > 50);
	}
}

namespace {

/** The voluntary context switches of a process. */
unsigned long waits(pid_t pid)
{
	const std::string status = read_file("/proc/" + std::to_string(pid) + "/status");
	const std::string name = "\nvoluntary_ctxt_switches:";

	return std::stoul(status.substr(status.find(name) + name.size()));
}

/**
 * Wait for five seconds without a wake-up; a process that is not at rest wakes up at least once a
 * second.
 */
bool rests(pid_t pid)
{
	return soon([&] {
		const unsigned long before = waits(pid);

		sleep(5);
		return waits(pid) == before;
	});
}

} // namespace

TEST_CASE("the recorder of an idle machine does not wake up until another program ticks",
	  "[cli][everybody][icount]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	guest::Child recorder = start({profil_path(), "record", "-a", "-o", file});

	REQUIRE(soon([] { return !nothing_is_profiled(); }));
	REQUIRE(rests(recorder.pid()));
	const unsigned long before = waits(recorder.pid());

	REQUIRE(run(program("cli_burn_static") + " 150").status == 0);
	CHECK(waits(recorder.pid()) > before);
	CHECK(rests(recorder.pid()));
	kill(recorder.pid(), SIGINT);
	REQUIRE(end_of(recorder) == 0);
	CHECK(by_process(file)["cli_burn_static"] > 50);
}

TEST_CASE("the recorder of idle processes does not wake up until one executes a program and ends",
	  "[cli][icount]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	HeldProgram held("cli_burn");
	guest::Child recorder =
		start({profil_path(), "record", "-p", std::to_string(held.pid()), "-o", file});

	REQUIRE(soon([] { return !nothing_is_profiled(); }));
	REQUIRE(rests(recorder.pid()));
	held.go();
	CHECK(held.end() == 0);
	CHECK(end_of(recorder) == 0);
	CHECK(by_process(file)["cli_burn"] > 50);
}

TEST_CASE("code that an idle process makes has its name, though it ends at once", "[cli][jit][icount]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	guest::Child recorder = start({profil_path(), "record", "-a", "-o", file});

	REQUIRE(soon([] { return !nothing_is_profiled(); }));
	REQUIRE(rests(recorder.pid()));
	REQUIRE(run("cd " + (directory / "") + " && " + program("cli_jit") + " 200 map").status == 0);
	run("rm -f /tmp/perf-*.map");
	kill(recorder.pid(), SIGINT);
	REQUIRE(end_of(recorder) == 0);

	const Json json = report(file);
	bool named = false;

	for (const Json &row : json["rows"])
		named = named || row["function"] == "jitted loop";
	CHECK(named);
}
