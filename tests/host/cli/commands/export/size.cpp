// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/export/size.cpp  Small files whose export would be huge. */
#include "tests/host/cli/commands/export/support.h"

using namespace export_test;

namespace {

/** A stack that repeats a location of 20,000 functions 20,000 times: 400 million frames. */
Profile deep_profile()
{
	constexpr size_t many = 20'000;
	Profile profile = sample_profile();

	profile.locations[0].lines.assign(many, {0, 1});
	profile.samples[0].locations.assign(many, 0);
	return profile;
}

/** A name of 1 MB in the rows of 2,000 processes. */
Profile wide_profile()
{
	Profile profile = sample_profile();
	const Sample sample = profile.samples[0];

	profile.functions[1].name.assign(1'000'000, 'f');
	for (int64_t pid = 1; pid <= 2000; pid++) {
		Sample &one = profile.samples.emplace_back(sample);

		for (Label &label : one.labels.own())
			label.number = pid;
	}
	return profile;
}

void check_refused(const Result<std::string> &text)
{
	REQUIRE_FALSE(text);
	CHECK(text.error().text == "it would need more than 1024 MiB in that format (use pprof, which "
				   "stores each function once)");
}

} // namespace

TEST_CASE("stacks that a file repeats without end are refused before they are written", "[cli][export]")
{
	const Profile profile = deep_profile();

	check_refused(export_folded(profile));
	check_refused(export_speedscope(profile));
	check_refused(export_firefox(profile));
	check_refused(export_perf_script(profile));
	CHECK(export_pprof(profile));
}

TEST_CASE("rows that repeat long names without end are refused before they are written", "[cli][export]")
{
	check_refused(export_csv(wide_profile()));
	CHECK(export_callgrind(wide_profile()));
}
