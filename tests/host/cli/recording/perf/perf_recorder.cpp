// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/recording/perf/perf_recorder.cpp  Recordings with perf's events. */
#include "tests/host/cli/recording/perf/spinning.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"
#include "tests/support/text.h"

#include <array>
#include <linux/hw_breakpoint.h>
#include <sys/prctl.h>
#include <thread>

using namespace spinning;
using support::has;

namespace {

constexpr unsigned rounds = 20'000;
constexpr uint64_t enough = 1000;

void spin_both()
{
	for (;;) {
		three_parts(rounds);
		one_part(rounds);
	}
}

void spin_one()
{
	for (;;)
		one_part(rounds);
}

void spin_three()
{
	for (;;)
		three_parts(rounds);
}

double share_of(const cli::Recording &recording, const std::string &function)
{
	std::map<std::string, uint64_t> samples = functions_of(recording);

	return static_cast<double>(samples["spinning::" + function]) /
	       static_cast<double>(recording.tally.total());
}

/** Record all processes of a selection; skips the test if that is not permitted. */
void need_everybody(cli::Recorder &recorder, cli::Selection selection = {})
{
	selection.everything = selection.names.empty();
	if (!recorder.attach_everybody(selection))
		support::skip("perf does not let this user record all processes");
}

} // namespace

TEST_CASE("perf's samples show how a program divides its time", "[perf]")
{
	need_perf();

	Log log;
	Child child(spin_both);
	const auto recording = recorder(fast_clock(), log);
	const std::array pids = {child.pid()};

	REQUIRE(recording->attach(pids, false) == 1);
	child.go();
	collect(*recording, 4 * enough);

	const cli::Recording result = recording->finish();
	const double three = share_of(result, "three_parts(unsigned int)");
	const double one = share_of(result, "one_part(unsigned int)");

	/* Each limit is seven standard deviations away. */
	CHECK(three / (three + one) > 0.70);
	CHECK(three / (three + one) < 0.80);
	CHECK(three + one > 0.5);
	CHECK(result.by_perf);
	CHECK(result.accounting.ticks == result.accounting.counted + result.accounting.lost());
	CHECK(result.accounting.counted == result.tally.total());
	CHECK(result.processes == 1);
	CHECK(result.program);
}

TEST_CASE("perf follows forked children, unless it is told not to", "[perf]")
{
	need_perf();

	const bool follow = GENERATE(true, false);
	cli::PerfSettings settings = fast_clock();
	Log log;
	Child child([] {
		if (!fork())
			spin_one();
		spin_three();
	});

	settings.follow = follow;

	const auto recording = recorder(settings, log);
	const std::array pids = {child.pid()};
	const auto both = [](const cli::Recording &part) {
		std::map<std::string, uint64_t> samples = functions_of(part);

		return samples["spinning::one_part(unsigned int)"] > 10 &&
		       samples["spinning::three_parts(unsigned int)"] > 10;
	};

	REQUIRE(recording->attach(pids, false) == 1);
	child.go();
	if (follow)
		collect_until(*recording, both);
	else
		collect(*recording, enough);

	const cli::Recording result = recording->finish();

	CHECK(both(result) == follow);
	CHECK(result.processes == (follow ? 2 : 1));
}

TEST_CASE("perf samples threads that begin later, and a thread alone if it is given", "[perf]")
{
	need_perf();

	const bool alone = GENERATE(true, false);
	cli::PerfSettings settings = fast_clock();
	Log log;
	Child child([] {
		std::thread(spin_one).detach();
		spin_three();
	});

	settings.threads = alone;
	settings.per_thread = !alone;

	const auto recording = recorder(settings, log);
	const std::array pids = {child.pid()};

	REQUIRE(recording->attach(pids, false) == 1);
	child.go();
	if (alone)
		collect(*recording, enough);
	else
		collect_until(*recording,
			      [](const cli::Recording &part) { return part.threads.sorted().size() == 2; });

	const cli::Recording result = recording->finish();

	CHECK((functions_of(result)["spinning::one_part(unsigned int)"] > 0) == !alone);
	CHECK(result.threads.sorted().size() == (alone ? 0 : 2));
	CHECK(result.processes == 1);
}

TEST_CASE("programs that end soon have their names and those of their functions", "[perf]")
{
	need_perf();

	const support::TemporaryDirectory directory;
	const std::string program = directory / "shortlived";
	Log log;

	REQUIRE_FALSE(support::run("cp /bin/true " + program).status);

	Child child([&] {
		execl("/bin/sh", "sh", "-c", ("while :; do " + program + "; done").c_str(), nullptr);
	});
	const auto recording = recorder(fast_clock(), log);
	const std::array pids = {child.pid()};

	REQUIRE(recording->attach(pids, false) == 1);
	child.go();
	collect_until(*recording,
		      [](const cli::Recording &part) { return programs_of(part)["shortlived"] > 50; });

	const cli::Recording result = recording->finish();
	uint64_t of_linker = 0;

	CHECK(programs_of(result)["shortlived"] > 50);
	for (const auto &[object, buckets] : result.tally.objects()) {
		if (has(object->name, "/ld-linux") || has(object->name, "/ld-")) {
			CHECK(object->file);
			CHECK_FALSE(object->build_id.empty());
			of_linker += cli::Tally::total_of(buckets);
		}
	}
	CHECK(of_linker > 0);
	CHECK(result.processes > 1);
	/* Only ticks that interrupt an exec are in no mapping. */
	CHECK(cli::Tally::total_of(result.tally.unknown()) < result.tally.total() / 10);
}

TEST_CASE("perf records the whole machine, or the processes of a name", "[perf]")
{
	need_perf();

	const bool select = GENERATE(false, true);
	cli::Selection selection;
	Log log;
	Child one([] {
		prctl(PR_SET_NAME, "first-spinner");
		spin_one();
	});
	Child other([] {
		prctl(PR_SET_NAME, "other-spinner");
		spin_three();
	});
	const auto recording = recorder(fast_clock(), log);

	if (select)
		selection.names = {"^first-spin"};
	one.go();
	other.go();
	one.wait_for_cpu(1'000'000);
	other.wait_for_cpu(1'000'000);
	need_everybody(*recording, selection);
	collect_until(*recording, [&](const cli::Recording &part) {
		return programs_of(part)["first-spinner"] > 20 &&
		       (select || programs_of(part)["other-spinner"] > 20);
	});

	const cli::Recording result = recording->finish();

	CHECK((programs_of(result)["other-spinner"] == 0) == select);
	CHECK((programs_of(result).size() == 1) == select);
	CHECK((result.accounting.cpu_ms == 0) == select);
	CHECK(result.accounting.counted == result.tally.total());
}

TEST_CASE("samples that do not fit into perf's buffer are counted as lost", "[perf]")
{
	need_perf();

	constexpr uint64_t cpu_ns = 200'000'000;
	cli::PerfSettings settings = fast_clock();
	Log log;
	Child child(spin_one);

	settings.memory = 1;

	const auto recording = recorder(settings, log);
	const std::array pids = {child.pid()};

	REQUIRE(recording->attach(pids, false) == 1);
	child.go();
	/* 2,000 ticks, but the page holds a hundred samples, and nothing reads them. */
	child.wait_for_cpu(cpu_ns);

	const cli::Recording result = recording->finish();

	CHECK(result.counter_bytes ==
	      static_cast<uint64_t>(sysconf(_SC_PAGESIZE) * sysconf(_SC_NPROCESSORS_ONLN)));
	CHECK(result.accounting.counted > 0);
	CHECK(result.accounting.lost_full > 0);
	CHECK(result.accounting.ticks == result.accounting.counted + result.accounting.lost());
	CHECK(result.accounting.counted <= result.counter_bytes / 40);
}

TEST_CASE("every sample of perf is in one part", "[perf]")
{
	need_perf();

	Log log;
	Child child(spin_one);
	const auto recording = recorder(fast_clock(), log);
	const std::array pids = {child.pid()};

	REQUIRE(recording->attach(pids, false) == 1);
	child.go();
	collect(*recording, enough);

	const cli::Recording first = recording->take_part();

	CHECK(first.tally.total() >= enough);
	CHECK(first.accounting.counted == first.tally.total());
	CHECK(recording->accounting().counted < enough);
	recording->give_back(first);
	CHECK(recording->accounting().counted >= enough);

	const cli::Recording all = recording->finish();

	CHECK(all.tally.total() >= first.tally.total());
	CHECK(all.accounting.counted == all.tally.total());
	CHECK(functions_of(all)["spinning::one_part(unsigned int)"] > enough / 2);
}

TEST_CASE("a part of a recording by perf has all samples of before it", "[perf]")
{
	need_perf();

	Log log;
	Child child(spin_one);
	const auto recording = recorder(fast_clock(), log);
	const std::array pids = {child.pid()};
	siginfo_t stopped = {};

	REQUIRE(recording->attach(pids, false) == 1);
	child.go();
	child.wait_for_cpu(10'000'000);
	kill(child.pid(), SIGSTOP);
	REQUIRE_FALSE(waitid(P_PID, static_cast<id_t>(child.pid()), &stopped, WSTOPPED));
	CHECK(recording->take_part().tally.total() > 0);
	CHECK(recording->finish().tally.total() == 0);
}

TEST_CASE("perf samples several events at once, and tells them apart", "[perf]")
{
	need_perf();

	cli::PerfSettings settings = fast_clock();
	cli::PerfSource faults;
	Log log;
	Child child([] {
		/* Each round has page faults, because the round before has freed its memory. */
		for (;;) {
			std::vector<char> memory(1 << 20, 1);

			one_part(static_cast<unsigned>(memory.back()) * rounds);
		}
	});

	faults.attr.type = PERF_TYPE_SOFTWARE;
	faults.attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	faults.period = 1;
	settings.sources = {faults, cli::perf_clock(100'000)};

	const auto recording = recorder(settings, log);
	const std::array pids = {child.pid()};
	const auto of_source = [](const cli::Recording &part, uint32_t source) {
		uint64_t sum = 0;

		for (const auto &[object, buckets] : part.tally.objects()) {
			for (const auto &[bucket, samples] : buckets)
				sum += bucket.source == source ? samples : 0;
		}
		return sum;
	};

	REQUIRE(recording->attach(pids, false) == 1);
	child.go();
	collect_until(*recording, [&](const cli::Recording &part) {
		return of_source(part, 0) > 100 && of_source(part, 1) > 100;
	});

	const cli::Recording result = recording->finish();

	CHECK(of_source(result, 0) > 100);
	CHECK(of_source(result, 1) > 100);
	CHECK(result.events.size() == 2);
}

TEST_CASE("an event with a counter whenever its thread runs is not said to have waited for one", "[perf]")
{
	need_perf();

	static volatile uint64_t written;
	cli::PerfSettings settings = fast_clock();
	cli::PerfSource writes;
	Log log;
	Child child([] {
		for (;;) {
			one_part(rounds);
			written = written + 1;
		}
	});

	writes.attr.type = PERF_TYPE_BREAKPOINT;
	writes.attr.bp_type = HW_BREAKPOINT_W;
	writes.attr.bp_addr = reinterpret_cast<uintptr_t>(&written);
	writes.attr.bp_len = HW_BREAKPOINT_LEN_8;
	writes.period = 1;
	settings.sources = {writes};

	const auto recording = recorder(settings, log);
	const std::array pids = {child.pid()};

	if (!recording->attach(pids, false))
		support::skip("perf has no breakpoints here: " + log.refusals.front());
	child.go();
	collect(*recording, 100);

	const cli::Recording result = recording->finish();

	REQUIRE(result.events.size() == 1);
	CHECK(result.events.front().running_ns > 0);
	CHECK_FALSE(result.events.front().is_shared());
}

TEST_CASE("samples alone are read once a second, and what may be gone by then sooner", "[perf]")
{
	need_perf();

	constexpr int enough_for_a_second = 6;
	const bool all = GENERATE(false, true);
	const bool forks = GENERATE(false, true);
	Log log;
	Child child([&] {
		for (;;) {
			one_part(rounds);
			if (forks && !fork())
				_exit(0);
			if (forks)
				wait(nullptr);
		}
	});
	const auto recording = recorder(fast_clock(), log);
	const std::array pids = {child.pid()};
	cli::Clock::time_point now;

	if (all)
		need_everybody(*recording);
	else
		REQUIRE(recording->attach(pids, false) == 1);
	child.go();
	for (int i = 0; i < enough_for_a_second; i++) {
		std::this_thread::sleep_until(recording->next_work(cli::Clock::now()));
		now = cli::Clock::now();
		recording->work(now);
	}
	CAPTURE(all, forks);
	CHECK(recording->accounting().counted > 0);
	CHECK((recording->next_work(now) - now > std::chrono::milliseconds(500)) == (!all && !forks));
}

TEST_CASE("a sample of perf costs some time", "[perf]")
{
	need_perf();

	const cli::Result<cli::TickCost> cost = cli::measure_perf_cost();

	if (!cost)
		support::skip(cost.error().text);
	CHECK(cost->ns > 0);
}
