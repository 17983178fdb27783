// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/report/slices.cpp  Reports of part of the time, and pages with
 * a map of time. */
#include "cli/commands/report/page/page.h"
#include "cli/profile/time_range.h"
#include "tests/host/cli/commands/report/support.h"
#include "tests/host/cli/sample_profile.h"
#include "tests/support/catch.h"
#include "tests/support/json.h"

using namespace cli;
using cli_test::report_of;
using nlohmann::json;

namespace {

/** 700 samples of main: 300 in the first half second, 400 in the third; 200 of memcpy in the second. */
Profile sliced()
{
	Profile profile = sample_profile();
	About about = from_comments(profile.comments);
	const auto slice = [](int64_t ms) { return Label{"slice", "", ms, "milliseconds"}; };
	const Sample hot = profile.samples[0];

	about.slice_ms = 500;
	profile.comments = to_comments(about);
	profile.samples[0].values = {300, 300300300};
	for (Sample &sample : profile.samples)
		sample.labels.own().push_back(slice(0));
	profile.samples[1].labels.own().back() = slice(500);
	profile.samples.push_back(hot);
	profile.samples.back().values = {400, 400400400};
	profile.samples.back().labels.own().push_back(slice(1000));
	return profile;
}

uint64_t samples_in(const Profile &profile, const TimeRange &range)
{
	Profile part = profile;

	REQUIRE(keep_time(part, range));
	return flatten(part, {}).samples;
}

json page(const Profile &profile, const HtmlLimits &limits = {})
{
	return support::parse_json(report_html_data(report_of(profile, "function"), {}, limits));
}

} // namespace

TEST_CASE("a part of the time has the samples of the slices that begin in it", "[cli][report]")
{
	CHECK(samples_in(sliced(), {}) == 1000);
	CHECK(samples_in(sliced(), {0.5}) == 600);
	CHECK(samples_in(sliced(), {0.6}) == 400);
	CHECK(samples_in(sliced(), {0, 0.5}) == 400);
	CHECK(samples_in(sliced(), {0.5, 1}) == 200);
	CHECK(samples_in(sliced(), {7}) == 0);

	Profile part = sliced();
	REQUIRE(keep_time(part, {0.5, 1}));
	CHECK(part.duration_nanos == 500000000);
	/* Ticks are known for the whole time only. */
	CHECK(from_comments(part.comments).accounting.ticks == 0);
	CHECK(from_comments(part.comments).slice_ms == 500);

	Profile plain = sample_profile();
	const Outcome refused = keep_time(plain, {1});
	REQUIRE_FALSE(refused);
	CHECK(refused.error().text == "it has no time slices, so --from and --to have nothing to select "
				      "(record with --slice 1s)");
	CHECK(keep_time(plain, {}));
}

TEST_CASE("a part of the time has no samples by thread, as these are known of the whole time only",
	  "[cli][report]")
{
	Profile profile = sliced();
	About about = from_comments(profile.comments);

	about.threads = {{4711, "program", 600}, {4712, "worker", 400}};
	profile.comments = to_comments(about);

	Profile all = profile;

	REQUIRE(keep_time(all, {}));
	CHECK(from_comments(all.comments).threads == about.threads);
	REQUIRE(keep_time(profile, {0, 0.5}));
	CHECK(from_comments(profile.comments).threads.empty());
}

TEST_CASE("all samples are in a report, whatever slices they are of", "[cli][report]")
{
	const Flat flat = flatten(sliced(), {});

	CHECK(flat.samples == 1000);
	CHECK(flat.rows.front().samples == 700);
}

TEST_CASE("a page has the samples of its functions by slices of time", "[cli][html]")
{
	const json all = page(sliced());

	CHECK(all["slices"]["start_ms"] == 0);
	CHECK(all["slices"]["column_ms"] == 500);
	CHECK(all["slices"]["all"] == json({400, 200, 400}));
	CHECK(all["slices"]["functions"] == json({{300, 0, 400}, {0, 200, 0}, {60, 0, 0}, {40, 0, 0}}));
	CHECK(page(sample_profile())["slices"].is_null());
}

TEST_CASE("a page has a limited number of columns of time, and of functions in them", "[cli][html]")
{
	HtmlLimits limits;

	limits.slices = 2;
	limits.sliced = 1;
	const json all = page(sliced(), limits);
	CHECK(all["slices"]["column_ms"] == 1000);
	CHECK(all["slices"]["all"] == json({600, 400}));
	CHECK(all["slices"]["functions"] == json({{300, 400}}));
}

TEST_CASE("slices that no recording has are no reason to fail", "[cli][html]")
{
	Profile profile = sliced();

	profile.samples[0].labels.own().back().number = INT64_MIN;
	profile.samples[1].labels.own().back().number = INT64_MAX;
	const json all = page(profile);
	CHECK(all["slices"]["all"].size() <= HtmlLimits().slices);
	CHECK(all["samples"] == 1000);
}
