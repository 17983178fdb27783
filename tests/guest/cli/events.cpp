// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/events.cpp  Recordings of events, as a user makes them. */
#include "tests/guest/cli/support.h"

using namespace cli_test;

namespace {

/** The values of a type, by function. */
std::map<std::string, uint64_t> values_of(const std::string &file, const std::string &type)
{
	const Output output = profil("report --json --value " + type + " " + file);
	std::map<std::string, uint64_t> values;

	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json json = Json::parse(output.text);

	for (const Json &row : json["rows"])
		values[row["function"]] += row["samples"].get<uint64_t>();
	return values;
}

/** What profil says when it has recorded them. */
std::string record_events(const std::string &events, const std::string &file)
{
	const Output output = profil("record -e " + events + " -o " + file + " -- " + program("cli_events"));

	INFO(output.text);
	REQUIRE(output.status == 0);
	return output.text;
}

} // namespace

TEST_CASE("page faults are in the functions that had them, to the last one", "[cli][source]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const std::string recorded = record_events("page-faults", file);

	INFO(recorded);
	CHECK(has(recorded, "of 1 process in "));
	CHECK(has(recorded, " by page-faults: "));
	const auto faults = values_of(file, "page-faults");
	CHECK(faults.at("fill_pages") == 10'000);
	CHECK(faults.at("read_pages") == 5000);
	CHECK(values_of(file, "samples").at("fill_pages") == 10'000);
	const Output shown = profil("report " + file);
	CHECK(has(shown.text, " 100.00 %  ticks of events\n"));
	CHECK_FALSE(has(shown.text, "seconds"));
}

TEST_CASE("several events are several values of the same places", "[cli][source]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const std::string recorded = record_events("page-faults,minor-faults:10,cs", file);

	INFO(recorded);
	CHECK(has(recorded, " by page-faults and minor-faults:10 and cs: "));
	CHECK(values_of(file, "page-faults").at("fill_pages") == 10'000);
	/* Each sample stands for ten of them, wherever the others were. */
	CHECK(values_of(file, "minor-faults").at("fill_pages") % 10 == 0);
	CHECK(values_of(file, "minor-faults").at("fill_pages") >= 9'900);
	CHECK(values_of(file, "minor-faults").at("fill_pages") <= 10'010);
	CHECK_FALSE(values_of(file, "cs").contains("fill_pages"));
	const Output table = profil("report --ratio minor-faults/page-faults --limit 1 " + file);
	INFO(table.text);
	CHECK(has(table.text,
		  "\npage-faults       %   sum %  minor-faults %    cs %  minor-faults/page-faults  "));
	CHECK(has(table.text, "\n     10,000   "));
}

TEST_CASE("a breakpoint names the writer of a variable", "[cli][source]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const Output symbol = run("nm " + program("cli_events") + " | awk '$3 == \"watched\" { print $1 }'");

	REQUIRE(symbol.text.size() == 17);
	const std::string event = "mem:0x" + symbol.text.substr(0, 16) + ":w";
	const std::string recorded = record_events(event, file);
	INFO(recorded);
	CHECK(values_of(file, "samples") == std::map<std::string, uint64_t>{{"write_watched", 700}});
}

TEST_CASE("what cannot be sampled is refused before the command runs", "[cli][source]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const std::string touched = directory / "touched";

	for (const char *event : {"cycles", "page-faults,cycles"}) {
		const Output output =
			profil(std::string("record -e ") + event + " -o " + file + " -- touch " + touched);

		CAPTURE(event, output.text);
		/* QEMU has no counters for x86. */
#ifdef __x86_64__
		CHECK(output.status == 1);
		CHECK(has(output.text,
			  "event 'cycles': this CPU or kernel cannot sample it (profil list shows"));
		CHECK(access(touched.c_str(), F_OK) != 0);
#endif
	}
	CHECK(has(profil("list").text, "page-faults or faults "));
}

TEST_CASE("without CAP_PERFMON, events are those of software", "[cli][source]")
{
	const guest::Setting paranoid("/proc/sys/kernel/perf_event_paranoid", "2");
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const auto as_nobody = [&](const std::string &event) {
		return run("su nobody -s /bin/sh -c 'cd / && " + profil_path() + " record -e " + event +
			   " -o " + file + " -- " + program("cli_events") + "'");
	};

	std::filesystem::permissions(directory / ".", std::filesystem::perms::all);
	const Output faults = as_nobody("page-faults");
	INFO(faults.text);
	REQUIRE(faults.status == 0);
	CHECK(values_of(file, "page-faults").at("fill_pages") == 10'000);

	const Output breakpoint = as_nobody("mem:0x601040:w:u");
	INFO(breakpoint.text);
	CHECK(breakpoint.status != 0);
	CHECK(has(breakpoint.text, "this event is counted on every CPU, which needs CAP_PERFMON"));
}
