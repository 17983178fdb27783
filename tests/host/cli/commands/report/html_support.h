// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/report/html_support.h  Shared by the tests of profil report
 * --html. */
#pragma once

#include "tests/host/cli/sample_profile.h"

#include <fmt/format.h>

namespace html_test {

/** 50,000 functions with C++ names, each with one line. */
inline cli::Profile many_functions()
{
	cli::Profile profile = sample_profile();

	profile.functions.clear();
	profile.locations.clear();
	profile.samples.clear();
	for (size_t i = 0; i < 50'000; i++) {
		profile.functions.push_back(
			{fmt::format("std::vector<project::module{}::Thing<int> >::method_"
				     "number_{}(project::Argument const&, unsigned long)",
				     i % 100, i),
			 "", fmt::format("/src/project/module{}.cpp", i % 100), 1});
		profile.locations.push_back({i % 2, 0x401000 + i * 16, {{i, static_cast<int64_t>(i)}}});
		profile.samples.push_back({{i}, {static_cast<int64_t>(50'000 / (i + 1) + 1), 0}, {}});
	}
	return profile;
}

} // namespace html_test
