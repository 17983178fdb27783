// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/counted_events.cpp  profil record with hardware events, and with events
 * that perf throttles.
 */
#include "tests/guest/cli/support.h"

#include "tests/support/skip.h"

#include <sys/ioctl.h>
#include <sys/resource.h>

using namespace cli_test;

namespace {

/** The CPU time of all children that have ended, in nanoseconds. */
uint64_t time_of_children()
{
	rusage use = {};

	guest::need(getrusage(RUSAGE_CHILDREN, &use), "getrusage");
	return static_cast<uint64_t>(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1'000'000'000 +
	       static_cast<uint64_t>(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1000;
}

/** The sum of a profile's values of one type. */
uint64_t sum_of(const std::string &file, const std::string &type)
{
	uint64_t sum = 0;

	for (const auto &[function, value] : values_of(file, type))
		sum += value;
	return sum;
}

/** The number of times that perf throttled an event, as profil says; 0 if it does not say. */
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
 * This event counts the nanoseconds of a task's CPU time; the kernel adds milliseconds at a time.
 * Enabling the tracepoint patches the scheduler's text: a QEMU 7.2 guest with more than one CPU
 * does not survive that for long.
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
		CHECK(has(recorded, "because it occurred too often, so its values are too small ("));
		CHECK_FALSE(has(recorded, "scaled"));
		/*
		 * A value is the samples times the period: events lost to throttling are not
		 * estimated.
		 */
		CHECK(sum_of(file, runtime) == sum_of(file, "samples") * period);
		CHECK(sum_of(file, runtime) > 0);
		CHECK(sum_of(file, runtime) < spent / 2);
	}
	/*
	 * Allow all the samples that are due at once if the machine stands still for minutes.
	 */
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

	/* Hundreds of samples are due at each kernel tick, but perf allows only a few. */
	REQUIRE(soon([&] { return counted_ticks() >= before + 50; }));
	const std::string text = profil("status --no-cost").text;
	const Json json = parse_json(profil("status --no-cost --json").text);

	INFO(text);
	REQUIRE(json["sessions"].size() == 1);
	const Json event = json["sessions"][0]["profiles"][0]["event"];

	CHECK(event["throttled"].get<uint64_t>() >= stops_in(text, event["name"]));
	CHECK(stops_in(text, event["name"]) > 0);
	CHECK(event["running_ns"] >= event["enabled_ns"]);
	kill(record.pid(), SIGINT);
	CHECK(end_of(record) == 0);
}

/*
 * Under -icount, QEMU counts each instruction as a cycle, and each function executes a known number
 * of instructions.
 */
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
	/* A period that ends in a function may include the kernel's work before it. */
	const double share = static_cast<double>(cycles["long_loop"]) /
			     static_cast<double>(cycles["long_loop"] + cycles["short_loop"]);
	CHECK(std::abs(share - 0.75) < 0.0075);
	CHECK(cycles["long_loop"] + cycles["short_loop"] >= 120'000'000 - 2 * period);

	const std::string user_recorded = record_events("cycles:u:100000", file, "cli_cycles");
	cycles = values_of(file, "cycles:u");
	INFO(user_recorded);
	CAPTURE(cycles);
	/*
	 * The tolerance is one period for the counter's phase, and one for the recorder's own
	 * cycles, which the counter includes.
	 */
	CHECK(std::abs(static_cast<double>(cycles["long_loop"]) - 90e6) <= 2 * period);
	CHECK(std::abs(static_cast<double>(cycles["short_loop"]) - 30e6) <= 2 * period);
}

/*
 * In this guest each instruction takes one cycle.  QEMU's instruction counter is exact, but its
 * interrupt is late, at the next exception.  Here that exception is the interrupt of a cycle
 * counter with the same period, which is on time.
 */
TEST_CASE("instructions a cycle are right in each function", "[cli][source][icount]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";

	skip_without_cycles();
	const std::string recorded = record_events("cycles:100003,instructions:100003", file, "cli_cycles");
	const Json json = parse_json(profil("report --json " + file).text);
	std::map<std::string, double> ipc;

	for (const Json &row : json["rows"])
		if (row.contains("ratios"))
			ipc[row["function"]] = row["ratios"]["IPC"].get<double>();
	INFO(recorded);
	CAPTURE(ipc);
	CHECK(std::abs(ipc.at("long_loop") - 1) <= 0.01);
	CHECK(std::abs(ipc.at("short_loop") - 1) <= 0.02);
}

/*
 * Without a cycle counter, the instruction counter interrupts only at the kernel's tick, every four
 * million instructions.
 */
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
	CHECK(parse_json(profil("report --json " + file).text)["samples"].get<uint64_t>() >= 11);
	CHECK(parse_json(profil("report --json " + file).text)["samples"].get<uint64_t>() <= 13);
}

/* The kernel rotates a CPU's counters among all open events every few milliseconds. */
TEST_CASE("an event that was counted for a part of the time is scaled up, and that is said",
	  "[cli][source][icount]")
{
	constexpr uint64_t period = 100'000;
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	std::vector<guest::Fd> others;

	skip_without_cycles();
	/* More raw events than the CPU has counters (seven); the CPU need not know these events. */
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
	const std::string scaled = " % of the time, because there are too few counters for all events: its "
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
	/* "samples" counts samples taken; an event's value is scaled up to the whole time. */
	CHECK(samples["long_loop"] * period < 90'000'000 * 9 / 10);
	for (const char *function : {"long_loop", "short_loop"})
		CHECK(std::abs(static_cast<double>(cycles[function]) * share /
				       static_cast<double>(samples[function] * period) -
			       1) < 0.001);
	/*
	 * In 120 ms the counters rotate some thirty times: enough to check the sum of both
	 * functions, but too few to check the shorter one alone.
	 */
	CHECK(std::abs(static_cast<double>(cycles["long_loop"] + cycles["short_loop"]) / 120e6 - 1) < 0.2);
}

/* A second of CPU time is a billion cycles, for which two thousand samples are due. */
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
	const Json json = parse_json(profil("report --json " + file).text);
	const auto samples = json["samples"].get<double>();
	const auto cycles = static_cast<double>(values_of(file, "cycles").begin()->second);

	CAPTURE(samples, cycles);
	CHECK(samples > 500);
	CHECK(samples < 1500);
	CHECK(std::abs(cycles / samples - 500'000) < 50'000);
}
