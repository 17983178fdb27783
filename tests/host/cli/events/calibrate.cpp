// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/events/calibrate.cpp  Periods chosen by an event's rate. */
#include "cli/events/calibrate.h"

#include "cli/base/fd.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

#include <algorithm>
#include <array>
#include <string>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace cli;

namespace {

/**
 * CPU time as an event: its count is never 0, because the thread has used some by the time that it
 * reads the count.
 */
Event time_of_thread()
{
	Event event;

	event.name = "task-clock";
	event.attr.type = PERF_TYPE_SOFTWARE;
	event.attr.config = PERF_COUNT_SW_TASK_CLOCK;
	event.attr.exclude_kernel = 1;
	return event;
}

bool can_open(const Event &event)
{
	perf_event_attr attr = event.attr;

	attr.size = sizeof(attr);
	return static_cast<bool>(Fd(static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0))));
}

/** The number of times that this thread has waited for anything. */
long waits()
{
	rusage usage{};

	REQUIRE(!getrusage(RUSAGE_THREAD, &usage));
	return usage.ru_nvcsw;
}

} // namespace

TEST_CASE("a period gives two thousand samples a second, and is odd", "[cli][events]")
{
	CHECK(period_for(3e9) == 1'500'001);
	CHECK(period_for(1e6) == 501);
	CHECK(period_for(6002) == 3);
	CHECK(period_for(4000) == 3);
	CHECK(period_for(3999) == 1);
	CHECK(period_for(1) == 1);
}

TEST_CASE("a period is chosen for an event of the hardware without one, and for no other", "[cli][events]")
{
	const auto event = [](const std::string &text) { return parse_events(text)->front(); };

	CHECK(event("page-faults:3").has_period);
	CHECK_FALSE(event("cycles").has_period);
	CHECK(event("cycles:u:1000").has_period);
	CHECK(event("breakpoint/config=0,period=7/").has_period);
	CHECK(is_of_hardware(event("cycles")));
	CHECK(is_of_hardware(event("LLC-load-misses")));
	CHECK(is_of_hardware(event("r1a8")));
	CHECK_FALSE(is_of_hardware(event("page-faults")));
	CHECK_FALSE(is_of_hardware(event("mem:0x601040:w")));

	/* The process does not exist, so no event occurs, and each keeps its period. */
	std::vector<Event> events = {event("cycles"), event("cycles:u:77"), event("page-faults")};
	const pid_t nobody = 0x7fffffff;

	choose_periods(events, std::span(&nobody, 1));
	CHECK(events[0].period == 1'000'003);
	CHECK(events[1].period == 77);
	CHECK(events[2].period == 1);
}

TEST_CASE("the rate of an event that shares a counter is that of the time in which it was counted",
	  "[cli][events]")
{
	const auto rate_of = [](const std::array<uint64_t, 3> &count_enabled_running) {
		int ends[2];

		REQUIRE(!pipe(ends));
		const Fd counter(ends[0]), kernel(ends[1]);

		REQUIRE(write(kernel.get(), count_enabled_running.data(), sizeof(count_enabled_running)) ==
			sizeof(count_enabled_running));
		return rate_of_counter(counter);
	};

	CHECK(rate_of({3000, 50'000'000, 10'000'000}) == Approx(300'000));
	CHECK(rate_of({3000, 50'000'000, 50'000'000}) == Approx(60'000));
	CHECK(rate_of({0, 50'000'000, 50'000'000}) == 0);
	CHECK(rate_of({3000, 50'000'000, 0}) == 0);
	CHECK(rate_of_counter(Fd()) == 0);
}

TEST_CASE("a process that does not exist has no event rate", "[cli][events]")
{
	const Event switches = parse_events("context-switches:u")->front();
	const pid_t nobody = 0x7fffffff;

	CHECK(rates_of(std::span(&switches, 1), std::span(&nobody, 1)) ==
	      std::vector<std::optional<double>>{std::nullopt});
	CHECK(rates_of({}, {}).empty());
}

TEST_CASE("many events are looked at together, and each has its own rate", "[cli][events]")
{
	constexpr size_t many = 100, unknown = 37;
	const pid_t self = getpid();
	std::vector<Event> events(many, time_of_thread());

	if (!can_open(events.front()))
		support::skip("perf_event_open(2) is not permitted");
	events[unknown].attr.config = 1'000'000;

	const long before = waits();
	const std::vector<std::optional<double>> rates = rates_of(events, std::span(&self, 1));

	/* Measuring one event after another would mean one wait for each. */
	CHECK(waits() - before < static_cast<long>(many));
	REQUIRE(rates.size() == many);
	for (size_t i = 0; i < many; i++)
		CHECK(rates[i].has_value() == (i != unknown));
}

TEST_CASE("more counters than a process may have files open are not open together", "[cli][events]")
{
	constexpr size_t many = 1100;
	const pid_t self = getpid();
	const std::vector<Event> events(many, time_of_thread());
	rlimit limit{};

	if (!can_open(events.front()))
		support::skip("perf_event_open(2) is not permitted");
	REQUIRE(!getrlimit(RLIMIT_NOFILE, &limit));

	const rlimit usual = {std::min<rlim_t>(1024, limit.rlim_cur), limit.rlim_max};

	REQUIRE(!setrlimit(RLIMIT_NOFILE, &usual));
	const std::vector<std::optional<double>> rates = rates_of(events, std::span(&self, 1));
	REQUIRE(!setrlimit(RLIMIT_NOFILE, &limit));

	REQUIRE(rates.size() == many);
	CHECK(std::all_of(rates.begin(), rates.end(), [](const auto &rate) { return rate.has_value(); }));
}
