// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/events.cpp  Recordings of events, as a user makes them. */
#include "tests/guest/cli/support.h"

#include "tests/guest/support/device.h"
#include "tests/guest/support/race.h"
#include "tests/guest/support/swap.h"
#include "tests/support/skip.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>

using namespace cli_test;

namespace {

/** What profil says when it has recorded them. */
std::string record_events(const std::string &events, const std::string &file,
			  const std::string &name = "cli_events")
{
	const Output output = profil("record -e " + events + " -o " + file + " -- " + program(name));

	INFO(output.text);
	REQUIRE(output.status == 0);
	return output.text;
}

/** Does the kernel let this process count it? */
bool cpu_counts(uint64_t config)
{
	return guest::open_proof({.pid = 0, .type = PERF_TYPE_HARDWARE, .config = config}).get() >= 0;
}

/** The CPU time of all children that have ended, in nanoseconds. */
uint64_t time_of_children()
{
	rusage use = {};

	guest::need(getrusage(RUSAGE_CHILDREN, &use), "getrusage");
	return static_cast<uint64_t>(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1'000'000'000 +
	       static_cast<uint64_t>(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1000;
}

/** The sum of the values of a type. */
uint64_t sum_of(const std::string &file, const std::string &type)
{
	uint64_t sum = 0;

	for (const auto &[function, value] : values_of(file, type))
		sum += value;
	return sum;
}

/** How often perf has stopped an event, in a text of profil's; 0 if that does not say so. */
uint64_t stops_in(const std::string &text, const std::string &event)
{
	const std::string before = event + ": stopped ";
	const size_t at = text.find(before);
	std::string digits;

	if (at == text.npos)
		return 0;
	for (const char one : text.substr(at + before.size(), text.find(" time", at) - at - before.size()))
		if (one != ',')
			digits += one;
	return std::stoull(digits);
}

/**
 * Each nanosecond of a task's CPU time is one of these, in portions of milliseconds.  A probe on it
 * patches the scheduler, which guests of QEMU 7.2 do not survive for long with more than one CPU.
 */
constexpr const char *runtime = "sched:sched_stat_runtime";
constexpr const char *max_sample_rate = "/proc/sys/kernel/perf_event_max_sample_rate";

void skip_without_runtime()
{
	if (access("/sys/kernel/tracing/events/sched/sched_stat_runtime/id", R_OK))
		support::skip("this kernel has no tracepoint sched:sched_stat_runtime");
}

void skip_without_cycles()
{
	if (!cpu_counts(PERF_COUNT_HW_CPU_CYCLES))
		support::skip("this CPU has no counters that the kernel can use");
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

TEST_CASE("a loop across the memory of a matrix has the faults, one for each element", "[cli][source]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const guest::Swap swap("64M");
	const guest::Cgroup group("profil-small");
	constexpr uint64_t rows = 4096, columns = 8;

	if (!swap)
		support::skip("this kernel has no zram");
	/* The matrix has 16 MiB: what is used longest ago is in the swap device. */
	group.set("memory.max", "12M");
	const Output output = profil("record -e page-faults,major-faults -o " + file +
				     " -- sh -c 'echo $$ >/sys/fs/cgroup/" +
				     "profil-small/cgroup.procs; exec " + program("cli_matrix") + "'");
	INFO(output.text);
	REQUIRE(output.status == 0);
	auto all = values_of(file, "page-faults");
	auto major = values_of(file, "major-faults");
	/* The text itself is evicted now and then, and what was just evicted may be in memory yet. */
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

/* Of one CPU, as a tracepoint patches the kernel, which QEMU with two does not always survive. */
TEST_CASE("what interrupts do is not charged to the program that they interrupt", "[cli][source][icount]")
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
	/* The kernel writes the zeroes, and has the faults: 256 of them, and some of the beginning. */
	const Output recorded = profil("record -e page-faults:k,page-faults:u -o " + file +
				       " -- dd if=/dev/zero of=/dev/null bs=1M count=1");
	uint64_t faults = 0;

	INFO(recorded.text);
	REQUIRE(recorded.status == 0);
	const Json kernel = Json::parse(profil("report --json --value page-faults:k " + file).text);
	for (const Json &row : kernel["rows"]) {
		CHECK(row["object"] == "[kernel]");
		faults += row["samples"].get<uint64_t>();
	}
	CHECK(faults >= 256);
	CHECK(faults < 300);
	for (const Json &row :
	     Json::parse(profil("report --json --value page-faults:u " + file).text)["rows"])
		CHECK(row["object"] != "[kernel]");
}

TEST_CASE("record and its profile say how often perf has stopped an event", "[cli][source][icount]")
{
	constexpr uint64_t period = 20'000;
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const std::string event = std::string(runtime) + ":" + std::to_string(period);

	skip_without_runtime();
	{
		const guest::Setting rate(max_sample_rate, "1000");
		const uint64_t before = time_of_children();
		const std::string recorded = record_events(event, file, "cli_cycles");
		const uint64_t spent = time_of_children() - before;

		INFO(recorded);
		CHECK(stops_in(recorded, runtime) > 0);
		CHECK(stops_in(profil("report " + file).text, runtime) == stops_in(recorded, runtime));
		CHECK(has(recorded, "as it came too often: its values are too small ("));
		CHECK_FALSE(has(recorded, "scaled"));
		/* A value is what the samples stand for, and nothing is guessed beside that. */
		CHECK(sum_of(file, runtime) == sum_of(file, "samples") * period);
		CHECK(sum_of(file, runtime) > 0);
		CHECK(sum_of(file, runtime) < spent / 2);
	}
	/* As many a tick as come in minutes, should the machine stand still. */
	const guest::Setting rate(max_sample_rate, "1000000000");
	const std::string recorded = record_events(event, file, "cli_cycles");

	INFO(recorded);
	CHECK(stops_in(recorded, runtime) == 0);
	CHECK_FALSE(has(profil("report " + file).text, "stopped"));
}

TEST_CASE("status says how often perf has stopped an event", "[cli][source][icount]")
{
	const TemporaryDirectory directory;
	const guest::Setting rate(max_sample_rate, "1000");
	const guest::Child burn = start({program("cli_burn"), "1000000"});
	const uint64_t before = counted_ticks();

	skip_without_runtime();
	guest::Child record = start({profil_path(), "record", "-e", std::string(runtime) + ":20000", "-o",
				     directory / "p.pb.gz", "-p", std::to_string(burn.pid())},
				    directory / "output");

	/* Of hundreds that are due at a tick of the kernel, it has a few. */
	REQUIRE(soon([&] { return counted_ticks() >= before + 50; }));
	const std::string text = profil("status --no-cost").text;
	const Json json = Json::parse(profil("status --no-cost --json").text);

	INFO(text);
	REQUIRE(json["sessions"].size() == 1);
	const Json event = json["sessions"][0]["profiles"][0]["event"];

	CHECK(event["throttled"].get<uint64_t>() >= stops_in(text, event["name"]));
	CHECK(stops_in(text, event["name"]) > 0);
	CHECK(event["running_ns"] >= event["enabled_ns"]);
	kill(record.pid(), SIGINT);
	CHECK(end_of(record) == 0);
}

TEST_CASE("what cannot be sampled is refused before the command runs", "[cli][source]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const std::string touched = directory / "touched";

	/* QEMU has no counters for x86, and for arm64 none of the cache. */
	if (cpu_counts(PERF_COUNT_HW_CACHE_MISSES))
		support::skip("this CPU counts cache misses");
	for (const char *event : {"cache-misses", "page-faults,cache-misses"}) {
		const Output output = profil(std::string("record -e ")
						     .append(event)
						     .append(" -o ")
						     .append(file)
						     .append(" -- touch ")
						     .append(touched));

		CAPTURE(event, output.text);
		CHECK(output.status == 1);
		CHECK(has(output.text,
			  "event 'cache-misses': this CPU or kernel cannot sample it (profil list shows"));
		CHECK(access(touched.c_str(), F_OK) != 0);
	}
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
	/* What QEMU has; instructions under -icount only. */
	CHECK(has(list, "\ncycles or cpu-cycles                      1 of 1,000,003      CAP_PERFMON\n"));
	CHECK(has(list, "\ninstructions                              1 of 1,000,003      CAP_PERFMON\n"));
	CHECK_FALSE(has(list, "\ncache-misses "));
#endif
}

/* Under -icount QEMU's cycles are instructions, whose numbers in these functions are known. */
TEST_CASE("cycles are in the functions that took them", "[cli][source][icount]")
{
	constexpr uint64_t period = 100'000;
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";

	skip_without_cycles();
	const std::string all_recorded = record_events("cycles:100000", file, "cli_cycles");
	auto cycles = values_of(file, "cycles");
	INFO(all_recorded);
	CAPTURE(cycles);
	/* With what the kernel did meanwhile. */
	const double share = static_cast<double>(cycles["long_loop"]) /
			     static_cast<double>(cycles["long_loop"] + cycles["short_loop"]);
	CHECK(std::abs(share - 0.75) < 0.0075);
	CHECK(cycles["long_loop"] + cycles["short_loop"] >= 120'000'000 - 2 * period);

	const std::string user_recorded = record_events("cycles:u:100000", file, "cli_cycles");
	cycles = values_of(file, "cycles:u");
	INFO(user_recorded);
	CAPTURE(cycles);
	/* One for the phase of the counter, and one for instructions of the recorder's in between. */
	CHECK(std::abs(static_cast<double>(cycles["long_loop"]) - 90e6) <= 2 * period);
	CHECK(std::abs(static_cast<double>(cycles["short_loop"]) - 30e6) <= 2 * period);
}

/*
 * Each cycle of QEMU's is an instruction.  Its counter of instructions counts right and interrupts
 * late: at the next exception.  With cycles beside it at the same period that is their interrupt.
 */
TEST_CASE("instructions a cycle are right in each function", "[cli][source][icount]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";

	skip_without_cycles();
	const std::string recorded = record_events("cycles:100003,instructions:100003", file, "cli_cycles");
	const Json json = Json::parse(profil("report --json " + file).text);
	std::map<std::string, double> ipc;

	for (const Json &row : json["rows"])
		if (row.contains("ratios"))
			ipc[row["function"]] = row["ratios"]["IPC"].get<double>();
	INFO(recorded);
	CAPTURE(ipc);
	CHECK(std::abs(ipc.at("long_loop") - 1) <= 0.01);
	CHECK(std::abs(ipc.at("short_loop") - 1) <= 0.02);
}

/* Alone they interrupt at the tick of the kernel, which comes every four million of them. */
TEST_CASE("instructions that interrupt late are all counted if their period is long", "[cli][source][icount]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";

	skip_without_cycles();
	const std::string recorded = record_events("instructions:10000000", file, "cli_cycles");
	const auto instructions = values_of(file, "instructions");
	INFO(recorded);
	CAPTURE(instructions);
	CHECK(instructions.at("long_loop") >= 70'000'000);
	CHECK(instructions.at("long_loop") <= 100'000'000);
	CHECK(instructions.at("short_loop") >= 20'000'000);
	CHECK(instructions.at("short_loop") <= 40'000'000);
	CHECK(Json::parse(profil("report --json " + file).text)["samples"].get<uint64_t>() >= 11);
	CHECK(Json::parse(profil("report --json " + file).text)["samples"].get<uint64_t>() <= 13);
}

/* The kernel lets the events of a CPU take turns, every few milliseconds, whoever wants them. */
TEST_CASE("an event that was counted for a part of the time is scaled up, and that is said",
	  "[cli][source][icount]")
{
	constexpr uint64_t period = 100'000;
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	std::vector<guest::Fd> others;

	skip_without_cycles();
	/* Some events of the architecture, whether this CPU has them or not: it has seven counters. */
	for (uint64_t event = 1; event <= 10; event++) {
		others.push_back(guest::open_proof({.pid = -1,
						    .sampling = false,
						    .cpu = 0,
						    .sample_type = 0,
						    .type = PERF_TYPE_RAW,
						    .config = event}));
		guest::need(ioctl(others.back().get(), PERF_EVENT_IOC_ENABLE, 0), "PERF_EVENT_IOC_ENABLE");
	}
	const std::string recorded = record_events("cycles:u:" + std::to_string(period), file, "cli_cycles");
	const std::string said = "cycles:u: counted ";
	const std::string scaled = " % of the time, as more events were wanted than there are counters: its "
				   "values are scaled up\n";

	INFO(recorded);
	REQUIRE(has(recorded, said));
	CHECK(has(recorded, scaled));
	CHECK(has(profil("report " + file).text, scaled));

	const double share = std::stod(recorded.substr(recorded.find(said) + said.size())) / 100;
	auto samples = values_of(file, "samples");
	auto cycles = values_of(file, "cycles:u");

	CAPTURE(share, samples, cycles);
	CHECK(share > 0.25);
	CHECK(share < 0.9);
	/* The samples are what came; a value is what they stand for, as if it had been counted all the time.
	 */
	CHECK(samples["long_loop"] * period < 90'000'000 * 9 / 10);
	for (const char *function : {"long_loop", "short_loop"})
		CHECK(std::abs(static_cast<double>(cycles[function]) * share /
				       static_cast<double>(samples[function] * period) -
			       1) < 0.001);
	/* The 120 ms are some thirty turns: enough for the sum of both, and too few for the shorter one. */
	CHECK(std::abs(static_cast<double>(cycles["long_loop"] + cycles["short_loop"]) / 120e6 - 1) < 0.2);
}

/* A billion cycles in a second of CPU time, and two thousand samples. */
TEST_CASE("the period for a running process is chosen by how often it has the event", "[cli][source][icount]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";

	skip_without_cycles();
	const guest::Child child([] {
		const guest::Burner burner;

		burner.burn_until(guest::Burner::usual, [] { return false; });
	});
	const Output output = profil("record -e cycles,page-faults -d 0.5 -o " + file + " -p " +
				     std::to_string(child.pid()));
	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json json = Json::parse(profil("report --json " + file).text);
	const auto samples = json["samples"].get<double>();
	const auto cycles = static_cast<double>(values_of(file, "cycles").begin()->second);

	CAPTURE(samples, cycles);
	CHECK(samples > 500);
	CHECK(samples < 1500);
	CHECK(std::abs(cycles / samples - 500'000) < 50'000);
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

#ifdef __x86_64__
	const Output counter = as_nobody("mem:0x601040:w:u");
#else
	const Output counter = as_nobody("cycles:u");
#endif
	INFO(counter.text);
	CHECK(counter.status != 0);
	CHECK(has(counter.text, "this event is counted on every CPU, which needs CAP_PERFMON"));
}
