// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/event_profile.h  A small profile of three events. */
#pragma once

#include "cli/profile/about.h"
#include "cli/profile/profile.h"

/**
 * 1,000 page faults: 900 in touch, 100 in grow; 50 context switches: 41 in wait, 9 in grow; and
 * 3 samples of a million cycles each: 1 in touch, 2 in grow.
 */
inline cli::Profile event_profile()
{
	using namespace cli;
	Profile profile;
	About about;

	profile.sample_types = {{"samples", "count"},
				{"page-faults", "count"},
				{"context-switches", "count"},
				{"cycles", "count"}};
	profile.default_sample_type = "page-faults";
	profile.period_type = {"page-faults", "count"};
	profile.period = 1;
	profile.duration_nanos = 1500000000;
	profile.mappings = {{0x401000, 0x403000, 0x1000, "/opt/bin/load", "c0ffee", true, true, true, true}};
	profile.functions = {
		{"touch", "touch", "/src/load.c", 8},
		{"grow", "grow", "/src/load.c", 15},
		{"wait", "wait", "/src/load.c", 25},
	};
	profile.locations = {{0, 0x401110, {{0, 10}}}, {0, 0x401210, {{1, 18}}}, {0, 0x401310, {{2, 27}}}};
	profile.samples = {
		{{0}, {900, 900, 0, 1000000}, {}},
		{{1}, {100, 100, 9, 2000000}, {}},
		{{2}, {0, 0, 41, 0}, {}},
	};
	about.version = "0.1.0";
	about.targets = {"load (pid 4711)"};
	about.accounting.ticks = 1053;
	about.accounting.counted = 1053;
	profile.comments = to_comments(about);
	return profile;
}

/**
 * event_profile(), but with 55 context switches, 46 of them in grow, and with a sample of cycles in
 * a fourth function, sleep.
 */
inline cli::Profile with_more_switches()
{
	cli::Profile profile = event_profile();

	profile.samples[1].values[2] = 46;
	profile.samples[2].values[2] = 9;
	profile.functions.push_back({"sleep", "sleep", "/src/load.c", 35});
	profile.locations.push_back({0, 0x401410, {{3, 36}}});
	profile.samples.push_back({{3}, {0, 0, 0, 1000000}, {}});
	return profile;
}
