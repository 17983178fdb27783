// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/everybody.cpp  Recordings of the whole machine, and of processes one by one. */
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

TEST_CASE("record --per-process tells apart processes of one program, children too", "[cli][every-kernel]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const Output output =
		profil("record --per-process -o " + file + " -- " + program("cli_burn") + " 500 fork");

	INFO(output.text);
	REQUIRE(output.status == 0);
	std::map<std::string, uint64_t> rows = by_process(file);

	/* What has interrupted them is none of them. */
	std::erase_if(rows, [](const auto &row) { return row.first.starts_with("["); });
	CHECK(rows.size() == 2);
	for (const auto &[name, samples] : rows) {
		CAPTURE(name);
		CHECK(name.starts_with("cli_burn "));
		CHECK(samples > 50);
	}
}

TEST_CASE("an idle machine that is recorded is left alone for a second at a time", "[cli][everybody][icount]")
{
	const TemporaryDirectory directory;
	guest::Child recorder = start({profil_path(), "record", "-a", "-o", directory / "p.pb.gz"});
	const auto waits = [&] {
		const std::string status = read_file("/proc/" + std::to_string(recorder.pid()) + "/status");
		const std::string name = "\nvoluntary_ctxt_switches:";

		return std::stoul(status.substr(status.find(name) + name.size()));
	};

	REQUIRE(soon([] { return !nothing_is_profiled(); }));
	sleep(5);

	const unsigned long before = waits();

	/* Ten times, and a few more for what else runs in a second; it looks ten times a second otherwise. */
	sleep(10);
	CHECK(waits() - before >= 10);
	CHECK(waits() - before <= 50);
	kill(recorder.pid(), SIGINT);
	CHECK(end_of(recorder) == 0);
}
