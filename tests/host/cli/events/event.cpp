// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/events/event.cpp  Events by perf's names. */
#include "cli/events/event.h"

#include "cli/events/available.h"
#include "tests/support/catch.h"

#include <linux/hw_breakpoint.h>
#include <string>

using namespace cli;

namespace {

Event one(const std::string &text)
{
	const Result<std::vector<Event>> events = parse_events(text);

	REQUIRE(events);
	REQUIRE(events->size() == 1);
	return events->front();
}

std::string refusal(const std::string &text)
{
	const Result<std::vector<Event>> events = parse_events(text);

	return events ? "" : events.error().text;
}

} // namespace

TEST_CASE("events have perf's names", "[cli][events]")
{
	const auto check = [](const char *name, uint32_t type, uint64_t config, uint64_t period) {
		CAPTURE(name);
		const Event event = one(name);

		CHECK(event.name == name);
		CHECK(event.attr.type == type);
		CHECK(event.attr.config == config);
		CHECK(event.period == period);
	};

	check("page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1);
	check("faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1);
	check("cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 1);
	check("cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1'000'003);
	check("cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 10'007);
	check("LLC-load-misses", PERF_TYPE_HW_CACHE,
	      PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_OP_READ << 8 |
		      PERF_COUNT_HW_CACHE_RESULT_MISS << 16,
	      10'007);
	check("dTLB-stores", PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_DTLB | PERF_COUNT_HW_CACHE_OP_WRITE << 8,
	      10'007);
	check("r1a8", PERF_TYPE_RAW, 0x1a8, 1'000'003);
}

TEST_CASE("modifiers and a period can follow the name of an event", "[cli][events]")
{
	const Event user = one("page-faults:u:10");

	CHECK(user.name == "page-faults:u");
	CHECK(user.period == 10);
	CHECK(user.attr.exclude_kernel == 1);

	const Event precise = one("cycles:250000:upp");

	CHECK(precise.name == "cycles:upp");
	CHECK(precise.period == 250'000);
	CHECK(precise.attr.precise_ip == 2);
	CHECK(one("cycles:uk").attr.exclude_kernel == 0);
	CHECK(one("cycles:uk").attr.exclude_user == 0);
	CHECK(one("cycles:k").attr.exclude_kernel == 0);
	CHECK(one("cycles:k").attr.exclude_user == 1);
}

TEST_CASE("a breakpoint is an address, its bytes and what is done there", "[cli][events]")
{
	const Event plain = one("mem:0x601040");

	CHECK(plain.name == "mem:0x601040");
	CHECK(plain.attr.type == PERF_TYPE_BREAKPOINT);
	CHECK(plain.attr.bp_addr == 0x601040);
	CHECK(plain.attr.bp_len == 8);
	CHECK(plain.attr.bp_type == HW_BREAKPOINT_RW);

	const Event writes = one("mem:0x601040/4:w:u:7");

	CHECK(writes.name == "mem:0x601040/4:w:u");
	CHECK(writes.attr.bp_len == 4);
	CHECK(writes.attr.bp_type == HW_BREAKPOINT_W);
	CHECK(writes.attr.exclude_kernel == 1);
	CHECK(writes.period == 7);
}

TEST_CASE("events are listed with commas", "[cli][events]")
{
	const Result<std::vector<Event>> events = parse_events("page-faults,context-switches:3");

	REQUIRE(events);
	REQUIRE(events->size() == 2);
	CHECK((*events)[1].name == "context-switches");
	CHECK((*events)[1].period == 3);
	CHECK(refusal("cs,cs:2") == "event 'cs' is given twice");
}

TEST_CASE("anything but an event is refused with a reason", "[cli][events]")
{
	CHECK(refusal("nonsense") ==
	      "event 'nonsense': there is no such event (profil list shows the available events)");
	for (const std::string clock : {"cpu-clock", "task-clock"})
		CHECK(refusal(clock + ":1000") ==
		      "event '" + clock + ":1000': CPU time is sampled without -e (-F sets how often)");
	CHECK(!refusal("rxyz").empty());
	CHECK(!refusal("r").empty());
	CHECK(refusal("nosystem:nopoint") ==
	      "event 'nosystem:nopoint': there is no such tracepoint below /sys/kernel/tracing/events, or it "
	      "may not be read");
	CHECK(refusal("mem:xyz") == "event 'mem:xyz': the address is not hexadecimal (mem:0x601040)");
	CHECK(refusal("mem:0x10/3") ==
	      "event 'mem:0x10/3': the length of a breakpoint must be 1, 2, 4 or 8 bytes");
	CHECK(refusal("cycles:0") == "event 'cycles:0': '0' is neither a period nor modifiers (u, k, p)");
	CHECK(refusal("cycles:x") == "event 'cycles:x': 'x' is neither a period nor modifiers (u, k, p)");
	CHECK(refusal("") == "an event's name is empty (profil list shows the available events)");
	CHECK(refusal("cs,,faults") ==
	      "event '': there is no such event (profil list shows the available events)");
}

TEST_CASE("page faults can be sampled everywhere, and without privilege", "[cli][events]")
{
	CHECK(check_available(one("page-faults")));
	CHECK(!needs_privilege(one("page-faults")));
	CHECK(needs_privilege(one("cycles")));
	CHECK(needs_privilege(one("mem:0x10")));

	Event none = one("page-faults");

	none.attr.config = 1'000'000;
	const Outcome missing = check_available(none);

	REQUIRE(!missing);
	CHECK(missing.error().text == "event 'page-faults': this CPU or kernel cannot sample it (profil list "
				      "shows the events that it can)");
}
