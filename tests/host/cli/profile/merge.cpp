// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/profile/merge.cpp  Sums of profiles. */
#include "cli/profile/merge.h"
#include "cli/profile/about.h"
#include "cli/profile/pprof.h"
#include "cli/rows/flat.h"
#include "tests/host/cli/sample_profile.h"
#include "tests/support/catch.h"

#include <array>

using namespace cli;

namespace {

Profile merged(const Profile &a, const Profile &b)
{
	return *merge(std::array{a, b});
}

} // namespace

TEST_CASE("a profile added to itself has the same places with twice the samples", "[cli][merge]")
{
	const Profile one = sample_profile();
	const Profile sum = merged(one, one);

	CHECK(sum.mappings.size() == one.mappings.size());
	CHECK(sum.functions == one.functions);
	CHECK(sum.locations.size() == one.locations.size());
	REQUIRE(sum.samples.size() == one.samples.size());
	CHECK(sum.samples[0].values == std::vector<int64_t>{1400, 1401401400});
	CHECK(sum.samples[0].labels == one.samples[0].labels);
	CHECK(sum.duration_nanos == 3000000000);
	CHECK(sum.time_nanos == one.time_nanos);
	CHECK(sum.period == 1001001);
	CHECK(sum.default_sample_type == "cpu");
}

TEST_CASE("the causes of ticks are added up", "[cli][merge]")
{
	Profile first = sample_profile();
	Profile other = sample_profile();
	About about = from_comments(other.comments);

	first.comments = to_comments(about);
	about.targets = {"program (pid 4711)", "other (pid 4712)"};
	about.accounting.lost_contended = 3;
	about.accounting.forks_lost = UINT64_MAX;
	about.threads = {{11, "other", 3}, {12, "both", 2}};
	other.comments = to_comments(about);
	other.comments.emplace_back("made elsewhere");
	const Profile once = merged(first, other);

	about.threads = {{12, "both", 2}, {12, "renamed", 1}};
	other.comments = to_comments(about);
	CHECK(from_comments(merged(once, other).comments).threads ==
	      std::vector<ThreadTotal>{{12, "both", 4}, {11, "other", 3}, {12, "renamed", 1}});

	const Profile &sum = once;
	const About both = from_comments(sum.comments);

	CHECK(both.version == "0.1.0");
	CHECK(both.targets == std::vector<std::string>{"program (pid 4711)", "other (pid 4712)"});
	CHECK(both.processes == 2);
	CHECK(both.accounting.ticks == 2100);
	CHECK(both.accounting.counted == 2000);
	CHECK(both.accounting.lost_contended == 3);
	CHECK(both.accounting.forks_lost == UINT64_MAX);
	CHECK(sum.comments.back() == "made elsewhere");
}

TEST_CASE("places are the same by build-id, wherever they were mapped and whatever the path", "[cli][merge]")
{
	Profile moved = sample_profile();

	moved.mappings[0].filename = "/home/program";
	moved.mappings[0].start += 0x1000000;
	moved.mappings[0].limit += 0x1000000;
	moved.locations[0].address += 0x1000000;
	CHECK(merged(sample_profile(), moved).locations.size() == 4);
	moved.mappings[0].build_id = "other";
	CHECK(merged(sample_profile(), moved).locations.size() == 5);
}

TEST_CASE("memory without a file is the same where its addresses are the same", "[cli][merge]")
{
	Profile profile = sample_profile();

	profile.mappings = {
		{0x7f0000000000, 0x7f0000001000, 0, "[anon:4711]", "", false, false, false, false},
		{0x7f0000005000, 0x7f0000006000, 0, "[anon:4711]", "", false, false, false, false}};
	profile.locations = {{0, 0x7f0000000010, {}}, {1, 0x7f0000005010, {}}};
	profile.samples = {{{0}, {3, 0}, {}}, {{1}, {5, 0}, {}}};
	const Profile sum = merged(profile, profile);

	REQUIRE(sum.mappings.size() == 2);
	REQUIRE(sum.locations.size() == 2);
	REQUIRE(sum.samples.size() == 2);
	CHECK(sum.locations[0].address == 0x7f0000000010);
	CHECK(sum.locations[1].address == 0x7f0000005010);
	CHECK(sum.mappings[*sum.locations[1].mapping].start == 0x7f0000005000);
	CHECK(sum.samples[0].values[0] == 6);
	CHECK(sum.samples[1].values[0] == 10);
}

TEST_CASE("a place that has a name in one profile has it in the sum", "[cli][merge]")
{
	Profile stripped = sample_profile();

	stripped.locations[0].lines.clear();
	for (const Profile &sum : {merged(stripped, sample_profile()), merged(sample_profile(), stripped)}) {
		const Flat flat = flatten(sum, {});

		CHECK(sum.locations.size() == 4);
		CHECK(flat.rows.front().function == "main");
		CHECK(flat.rows.front().samples == 1400);
	}
}

TEST_CASE("samples of different processes stay apart", "[cli][merge]")
{
	Profile other = sample_profile();

	other.samples[0].labels.own()[1].number = 4712;
	CHECK(merged(sample_profile(), other).samples.size() == 5);
}

TEST_CASE("values saturate instead of turning negative", "[cli][merge]")
{
	Profile full = sample_profile();

	full.samples[0].values = {INT64_MAX, INT64_MIN};
	full.duration_nanos = INT64_MAX;
	const Profile sum = merged(full, full);

	CHECK(sum.samples[0].values == std::vector<int64_t>{INT64_MAX, INT64_MIN});
	CHECK(sum.duration_nanos == INT64_MAX);
}

TEST_CASE("only values that both profiles have are kept, and no value in common is an error", "[cli][merge]")
{
	Profile other = sample_profile();

	other.sample_types = {{"cpu", "nanoseconds"}, {"samples", "count"}};
	for (Sample &sample : other.samples)
		std::swap(sample.values[0], sample.values[1]);
	CHECK(merged(sample_profile(), other).samples[0].values == std::vector<int64_t>{1400, 1401401400});
	other.sample_types[0].type = "wall";
	CHECK(merged(sample_profile(), other).samples[0].values == std::vector<int64_t>{1400});
	other.sample_types[1].type = "objects";
	CHECK(merge(std::array{sample_profile(), other}).error().text ==
	      "the profiles have no type of value in common");
	CHECK_FALSE(merge({}));
}

TEST_CASE("the sum of profiles with different rates has no rate", "[cli][merge]")
{
	Profile other = sample_profile();

	other.period = 1;
	CHECK(merged(sample_profile(), other).period == 0);
	CHECK_FALSE(have_one_period(std::array{sample_profile(), other}));
	CHECK(have_one_period(std::array{other, other}));
}

TEST_CASE("a sum is a profile that can be written and read", "[cli][merge]")
{
	const Profile sum = merged(sample_profile(), sample_profile());
	const Result<Profile> read = decode_pprof(encode_pprof(sum));

	REQUIRE(read);
	CHECK(read->samples[0].values == sum.samples[0].values);
	CHECK(read->comments == sum.comments);
	CHECK(flatten(*read, {}).rows.front().samples == 1400);
}
