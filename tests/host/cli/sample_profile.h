// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/sample_profile.h  A small profile that has a little of everything. */
#pragma once

#include "cli/profile/about.h"
#include "cli/profile/profile.h"

/**
 * 1,000 samples: 700 in work(int), inlined in main's loop, 200 in memcpy of a
 * stripped libc, 60 without a name, 40 outside all mappings.
 */
inline cli::Profile sample_profile()
{
	using namespace cli;
	Profile profile;
	About about;

	profile.sample_types = {{"samples", "count"}, {"cpu", "nanoseconds"}};
	profile.default_sample_type = "cpu";
	profile.period_type = {"cpu", "nanoseconds"};
	profile.period = 1001001;
	profile.time_nanos = 1790000000000000000;
	profile.duration_nanos = 1500000000;
	profile.mappings = {
		{0x401000, 0x403000, 0x1000, "/opt/bin/program", "c0ffee", true, true, true, true},
		{0x28000, 0x19d000, 0x28000, "/usr/lib/libc.so.6", "", true, false, false, false},
	};
	profile.functions = {
		{"work(int)", "_Z4worki", "/src/work.cpp", 8},
		{"main", "main", "/src/main.cpp", 15},
		{"memcpy", "memcpy", "", 0},
	};
	profile.locations = {
		{0, 0x401110, {{0, 10}, {1, 20}}},
		{1, 0x30000, {{2, 0}}},
		{1, 0x99990, {}},
		{std::nullopt, 0x7fff12345678, {}},
	};
	profile.samples = {
		{{0}, {700, 700700700}, {{"process", "program", 0, ""}, {"pid", "", 4711, "id"}}},
		{{1}, {200, 200200200}, {}},
		{{2}, {60, 60060060}, {}},
		{{3}, {40, 40040040}, {}},
	};
	about.version = "0.1.0";
	about.targets = {"program (pid 4711)"};
	about.processes = 1;
	about.accounting.ticks = 1050;
	about.accounting.counted = 1000;
	about.accounting.kernel = 45;
	about.accounting.lost_late = 5;
	profile.comments = to_comments(about);
	return profile;
}
