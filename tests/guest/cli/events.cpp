// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/events.cpp  profil record with events (-e). */
#include "tests/guest/cli/support.h"

#include "tests/guest/support/race.h"
#include "tests/guest/support/swap.h"
#include "tests/support/skip.h"

using namespace cli_test;

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
	CHECK(has(recorded, " minor-faults (1 in 10) and "));
	CHECK(has(recorded, " cs of 1 process in "));
	CHECK(values_of(file, "page-faults").at("fill_pages") == 10'000);
	/* Each sample stands for ten faults, even if the other nine were elsewhere. */
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

TEST_CASE("a loop across the memory of a matrix has the faults, one for each element", "[cli][source]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const guest::Swap swap("64M");
	const guest::Cgroup group("profil-small");
	constexpr uint64_t rows = 4096, columns = 8;

	if (!swap)
		support::skip("this kernel has no zram");
	/* The matrix has 16 MiB, so its least recently used pages are swapped out. */
	group.set("memory.high", "12M");
	const Output output = profil("record -e page-faults,major-faults -o " + file +
				     " -- sh -c 'echo $$ >/sys/fs/cgroup/" +
				     "profil-small/cgroup.procs; exec " + program("cli_matrix") + "'");
	INFO(output.text);
	REQUIRE(output.status == 0);
	auto all = values_of(file, "page-faults");
	auto major = values_of(file, "major-faults");
	/*
	 * The program's text is sometimes evicted, too, and evicted pages may still be in memory.
	 */
	constexpr uint64_t chance = rows / 10;
	CHECK(all["fill"] >= rows);
	CHECK(all["fill"] <= rows + chance);
	CHECK(major["fill"] <= chance);
	CHECK(major["sum_by_rows"] <= rows + chance);
	CHECK(major["sum_by_columns"] > rows * columns / 2);
	CHECK(major["sum_by_columns"] <= rows * columns + chance);
}

TEST_CASE("a breakpoint names the writer of a variable", "[cli][source]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const Output symbol = run("nm " + program("cli_events") + " | awk '$3 == \"watched\" { print $1 }'");

	REQUIRE(symbol.text.size() == 17);
	const std::string event = "mem:0x" + symbol.text.substr(0, 16) + ":w";
#ifdef __x86_64__
	const std::string recorded = record_events(event, file);
	INFO(recorded);
	CHECK(values_of(file, "samples") == std::map<std::string, uint64_t>{{"write_watched", 700}});
#else
	const Output refused =
		profil("record -e " + event + " -o " + file + " -- touch " + directory / "touched");
	INFO(refused.text);
	CHECK(refused.status == 1);
	CHECK(has(refused.text, "breakpoints can be sampled on x86 only"));
	CHECK(access((directory / "touched").c_str(), F_OK) != 0);
#endif
}

/*
 * This needs a guest with one CPU: a tracepoint patches the kernel's text, and a guest with two
 * CPUs does not always survive that.
 */
TEST_CASE("events of interrupts are not charged to the program that they interrupt", "[cli][source][icount]")
{
#ifdef __x86_64__
	const std::string system = "irq_vectors", name = "local_timer_entry";
#else
	const std::string system = "irq", name = "irq_handler_entry";
#endif
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";

	if (!std::filesystem::exists("/sys/kernel/tracing/events/" + system + "/" + name))
		support::skip("this kernel has no such tracepoint");
	record_events(system + ":" + name, file, "cli_cycles");
	const Output table = profil("report --sort command " + file);

	INFO(table.text);
	CHECK(has(table.text, " 100.00  [irq]\n"));
}

TEST_CASE("events of the kernel alone are those of its functions", "[cli][source]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	/*
	 * The kernel writes the zeroes, so the faults are in the kernel: 256, and some at the
	 * start.
	 */
	const Output recorded = profil("record -e page-faults:k,page-faults:u -o " + file +
				       " -- dd if=/dev/zero of=/dev/null bs=1M count=1");
	uint64_t faults = 0;

	INFO(recorded.text);
	REQUIRE(recorded.status == 0);
	const Json kernel = parse_json(profil("report --json --value page-faults:k " + file).text);
	for (const Json &row : kernel["rows"]) {
		CHECK(row["object"] == "[kernel]");
		faults += row["samples"].get<uint64_t>();
	}
	CHECK(faults >= 256);
	CHECK(faults < 300);
	for (const Json &row : parse_json(profil("report --json --value page-faults:u " + file).text)["rows"])
		CHECK(row["object"] != "[kernel]");
}

TEST_CASE("profil list has the events of the kernel, and of the CPU's those that it counts",
	  "[cli][source][icount]")
{
	const std::string list = profil("list").text;

	INFO(list);
	CHECK(has(list, "\npage-faults or faults "));
	CHECK(has(list, "\ncycles or cpu-cycles ") == cpu_counts(PERF_COUNT_HW_CPU_CYCLES));
	CHECK(has(list, "\ninstructions ") == cpu_counts(PERF_COUNT_HW_INSTRUCTIONS));
	CHECK(has(list, "\ncache-misses ") == cpu_counts(PERF_COUNT_HW_CACHE_MISSES));
#ifdef __aarch64__
	/* QEMU emulates these two events, instructions only under -icount. */
	CHECK(has(list,
		  "\ncycles or cpu-cycles                             1 in 1,000,003      CAP_PERFMON\n"));
	CHECK(has(list,
		  "\ninstructions                                     1 in 1,000,003      CAP_PERFMON\n"));
	CHECK_FALSE(has(list, "\ncache-misses "));
#endif
}

TEST_CASE("without CAP_PERFMON, only software events can be recorded", "[cli][source]")
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

#ifdef __x86_64__
	const Output counter = as_nobody("mem:0x601040:w:u");
#else
	const Output counter = as_nobody("cycles:u");
#endif
	INFO(counter.text);
	CHECK(counter.status != 0);
	CHECK(has(counter.text, "this event is counted on every CPU, which needs CAP_PERFMON"));
}
