// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/events/name.cpp  Names of events by their numbers. */
#include "cli/events/name.h"

#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <filesystem>
#include <fstream>
#include <linux/perf_event.h>

using namespace cli;

TEST_CASE("an event has the name by which it can be given", "[cli][events]")
{
	const support::TemporaryDirectory root;
	const auto tracepoint = [&](const std::string &system, const std::string &name, int id) {
		std::filesystem::create_directories(root / system + "/" + name);
		std::ofstream(root / system + "/" + name + "/id") << id << '\n';
	};
	const auto named = [&](uint32_t type, uint64_t config) {
		return name_of_event(type, config, root / ".");
	};

	tracepoint("sched", "sched_switch", 297);
	tracepoint("irq", "irq_handler_entry", 29);
	std::ofstream(root / "enable") << "0\n";
	CHECK(named(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS) == "page-faults");
	CHECK(named(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES) == "cycles");
	CHECK(named(PERF_TYPE_TRACEPOINT, 297) == "sched:sched_switch");
	CHECK(named(PERF_TYPE_TRACEPOINT, 29) == "irq:irq_handler_entry");
	CHECK(named(PERF_TYPE_TRACEPOINT, 2) == "event 2 0x2");
	CHECK(named(PERF_TYPE_RAW, 0x1a8) == "r1a8");
	CHECK(named(10, 7) == "event 10 0x7");
	CHECK(name_of_event(PERF_TYPE_TRACEPOINT, 297, root / "missing") == "event 2 0x129");
}
