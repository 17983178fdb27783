// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/events/pmu.cpp  Events of PMUs, from copies of three PMUs' files in
 * sysfs. */
#include "cli/events/pmu.h"
#include "cli/events/event.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"
#include "tests/support/text.h"

#include <filesystem>
#include <fstream>
#include <string>

using namespace cli;
using support::has;
using support::TemporaryDirectory;

namespace {

/** The sysfs files for these tests: of an Intel core, its memory controller and an Arm core. */
class Pmus {
public:
	Pmus()
	{
		write("cpu/type", "4");
		write("cpu/format/event", "config:0-7");
		write("cpu/format/umask", "config:8-15");
		write("cpu/format/edge", "config:18");
		write("cpu/format/ldlat", "config1:0-15");
		write("cpu/format/far", "config3:0-3");
		write("cpu/format/offcore_rsp", "config1:0-63");
		write("cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3");
		write("cpu/events/mem-loads.scale", "1.0");
		write("uncore/type", "17");
		write("uncore/format/event", "config:0-7,32-35");
		write("uncore/events/reads", "event=0x104");
		write("armv8_pmuv3_0/type", "8");
		write("armv8_pmuv3_0/format/event", "config:0-15");
		write("armv8_pmuv3_0/events/cpu_cycles", "event=0x0011");
	}

	std::string refusal(const std::string &pmu, const std::string &terms) const
	{
		const Result<PmuTerms> chosen = parse_pmu_terms(pmu, terms, root());

		return chosen ? "" : chosen.error().text;
	}

	std::string root() const { return directory_ / "devices"; }

private:
	void write(const std::string &path, const std::string &text) const
	{
		const std::filesystem::path file = root() + "/" + path;

		std::filesystem::create_directories(file.parent_path());
		std::ofstream(file) << text << '\n';
	}

	TemporaryDirectory directory_;
};

} // namespace

TEST_CASE("terms of a PMU are put where its format has them", "[cli][events]")
{
	const Pmus pmus;
	const auto config = [&](const std::string &pmu, const std::string &terms) {
		const Result<PmuTerms> chosen = parse_pmu_terms(pmu, terms, pmus.root());

		INFO(terms);
		REQUIRE(chosen);
		return chosen->attr.config;
	};

	CHECK(config("cpu", "event=0x3c") == 0x3c);
	CHECK(config("cpu", "umask=1,event=0xd0,edge") == 0x401d0);
	CHECK(config("cpu", "config=0x1ff,event=0x22") == 0x122);
	CHECK(config("uncore", "event=0xabc") == (0xbcULL | 0xaULL << 32));
	CHECK(config("uncore", "reads") == (0x04ULL | 1ULL << 32));
	CHECK(config("armv8_pmuv3_0", "cpu_cycles") == 0x11);

	const Result<PmuTerms> loads =
		parse_pmu_terms("cpu", "mem-loads,ldlat=30,period=500,name=loads", pmus.root());

	REQUIRE(loads);
	CHECK(loads->attr.type == 4);
	CHECK(loads->attr.config == 0x1cd);
	CHECK(loads->attr.config1 == 30);
	CHECK(loads->period == 500);
	CHECK(loads->name == "loads");

	const Result<PmuTerms> whole = parse_pmu_terms(
		"cpu", "offcore_rsp=0xfedcba9876543210,offcore_rsp=0x8123456789abcdef", pmus.root());

	REQUIRE(whole);
	CHECK(whole->attr.config1 == 0x8123456789abcdef);
}

TEST_CASE("an event that a PMU does not have is refused with the reason", "[cli][events]")
{
	const Pmus pmus;

	CHECK(has(pmus.refusal("gpu", "event=1"), "there is no PMU 'gpu' below "));
	CHECK(has(pmus.refusal("../cpu", "event=1"), "there is no PMU '../cpu'"));
	CHECK(has(pmus.refusal("cpu", "unknown=1"), "there is no event or term 'unknown' below "));
	CHECK(has(pmus.refusal("cpu", "../type"), "there is no event or term '../type'"));
	CHECK(pmus.refusal("cpu", "event=0x100") == "0x100 is too large for 'event' (config:0-7)");
	CHECK(pmus.refusal("cpu", "event=x") == "term 'event': 'x' is not a number");
	CHECK(pmus.refusal("cpu", "event=") == "term 'event': '' is not a number");
	CHECK(pmus.refusal("cpu", "") == "there is no term between the slashes");
	CHECK(pmus.refusal("cpu", "far=1") == "the kernel's format of 'far' is not understood: config3:0-3");
}

TEST_CASE("the named events of PMUs are listed without what describes them", "[cli][events]")
{
	const Pmus pmus;
	std::string all;

	for (const PmuEvent &one : pmu_events(pmus.root()))
		all += one.pmu + "/" + one.name + "/ ";
	CHECK(all == "armv8_pmuv3_0/cpu_cycles/ cpu/mem-loads/ uncore/reads/ ");
	CHECK(pmu_events("/nonexistent").empty());
}

TEST_CASE("a PMU's terms have commas of their own in a list of events", "[cli][events]")
{
	/* Every machine has the breakpoint PMU. */
	const Result<std::vector<Event>> events =
		parse_events("page-faults,breakpoint/config=1,config1=0x20/u:3,mem:0x601040/4:rw,cs");

	REQUIRE(events);
	REQUIRE(events->size() == 4);
	CHECK((*events)[1].name == "breakpoint/config=1,config1=0x20/:u");
	CHECK((*events)[1].attr.type == PERF_TYPE_BREAKPOINT);
	CHECK((*events)[1].attr.config1 == 0x20);
	CHECK((*events)[1].attr.exclude_kernel == 1);
	CHECK((*events)[1].period == 3);
	CHECK((*events)[2].name == "mem:0x601040/4:rw");

	const Result<std::vector<Event>> open = parse_events("cpu/event=1");

	REQUIRE_FALSE(open);
	CHECK(has(open.error().text, "the second slash is missing"));
}
