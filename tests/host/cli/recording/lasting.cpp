// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/recording/lasting.cpp  The state of a long recording, whose processes come and go. */
#include "cli/objects/owners.h"
#include "cli/objects/tally.h"
#include "cli/objects/text_segments.h"
#include "cli/recording/refusals.h"
#include "tests/host/cli/mappings.h"
#include "tests/support/catch.h"

using namespace cli;
using cli_test::memory;

namespace {

/* Above every possible PID and TID, because the code looks them up on this machine. */
constexpr pid_t no_pid = 100000000;

} // namespace

TEST_CASE("processes with nothing left are forgotten, and their numbers are not reused", "[cli][lasting]")
{
	Owners owners;

	for (pid_t pid = 1; pid <= 1000; pid++)
		CHECK(owners.number(pid, "p") == static_cast<uint32_t>(pid));
	owners.keep_only({7, 1000});
	CHECK(owners.size() == 2);
	REQUIRE(owners.find(7) != nullptr);
	CHECK(owners.find(7)->pid == 7);
	CHECK(owners.find(8) == nullptr);
	CHECK(owners.number(7, "p") == 7);
	CHECK(owners.number(8, "p") == 1001);
	for (pid_t hour = 1; hour <= 100; hour++) {
		for (pid_t pid = 1; pid <= 1000; pid++)
			owners.number(pid, "hour " + std::to_string(hour));
		owners.keep_only({7});
		CHECK(owners.size() == 1);
	}
}

TEST_CASE("processes of a part that is added again are known again", "[cli][lasting]")
{
	Owners owners;

	owners.number(7, "sh");
	const Owners part = owners;

	owners.keep_only({});
	CHECK(owners.find(1) == nullptr);
	CHECK(owners.number(7, "sh") == 2);
	owners.add(part);
	REQUIRE(owners.find(1) != nullptr);
	CHECK(owners.find(1)->name == "sh");
	CHECK(owners.number(7, "sh") == 2);
}

TEST_CASE("unknown addresses are kept up to a limit, and all are counted", "[cli][lasting]")
{
	Tally tally;

	for (uint64_t pc = 1; pc <= 3 * Tally::most_unknown; pc++)
		tally.add_unknown(pc << 12, 0);
	tally.add_unknown(1 << 12, 0);
	CHECK(tally.unknown().size() == Tally::most_unknown + 1);
	CHECK(tally.unknown().at({1 << 12, 0}) == 2);
	CHECK(tally.unknown().at({0, 0}) == 2 * Tally::most_unknown);
	CHECK(tally.total() == 3 * Tally::most_unknown + 1);

	Tally sum = tally;

	sum.add(tally);
	CHECK(sum.unknown().size() == Tally::most_unknown + 1);
	CHECK(sum.total() == 2 * tally.total());
}

TEST_CASE("the samples of ended processes' memory stay those of their event", "[cli][lasting]")
{
	ObjectTable objects;
	Tally tally;

	for (const uint32_t event : {0U, 1U})
		tally.add(objects.find(no_pid, memory(0x1000, 0x1000)), {0x1000, 3, event}, 5 + event);
	objects.forget_memory(no_pid);
	REQUIRE(tally.join_ended_memory(0) == 1);
	REQUIRE(tally.objects().size() == 1);
	CHECK(tally.objects().begin()->second == Tally::Buckets{{{0, 3, 0}, 5}, {{0, 3, 1}, 6}});
}

TEST_CASE("the memory of ended processes becomes one object when there is much of it", "[cli][lasting]")
{
	ObjectTable objects;
	Tally tally;

	for (pid_t pid = no_pid; pid < no_pid + 10; pid++)
		tally.add(objects.find(pid, memory(0x1000, 0x1000)),
			  {0x1000U + static_cast<uint64_t>(pid), 3}, 5);
	for (pid_t pid = no_pid; pid < no_pid + 8; pid++)
		objects.forget_memory(pid);
	CHECK(tally.join_ended_memory(8) == 0);
	CHECK(tally.objects().size() == 10);
	CHECK(tally.join_ended_memory(7) == 8);
	REQUIRE(tally.objects().size() == 3);
	CHECK(tally.total() == 50);
	objects.forget_memory(no_pid + 8);
	CHECK(tally.join_ended_memory(0) == 1);
	CHECK(tally.join_ended_memory(0) == 0);

	std::map<std::string, uint64_t> samples;

	for (const auto &[object, buckets] : tally.objects()) {
		REQUIRE(buckets.size() == 1);
		samples[object->name] = buckets.begin()->second;
		if (object->name == "[anon]")
			CHECK(buckets.begin()->first == Bucket{0, 3});
	}
	CHECK(samples == std::map<std::string, uint64_t>{{"[anon]", 45}, {"[anon:100000009]", 5}});
}

TEST_CASE("texts that touch are merged if they are contiguous in the file", "[cli][lasting]")
{
	TextSegments texts;

	texts.add({0x3000, 0x4000, 0x1000}, true);
	texts.add({0x1000, 0x2000}, true); /* address minus offset: 0x1000; above: 0x2000 */
	texts.add({0x5000, 0x6000, 0x3000}, true);
	CHECK(texts.size() == 3);
	texts.add({0x4000, 0x5000, 0x2000}, true);
	CHECK(texts.all() == std::vector<TextSegment>{{0x1000, 0x2000, 0}, {0x3000, 0x6000, 0x1000}});
	CHECK(*texts.find(0x5fff) == TextSegment{0x3000, 0x6000, 0x1000});
	CHECK(texts.find(0x6000) == nullptr);
	CHECK(texts.find(0x2fff) == nullptr);
	texts.add({0x2800, 0x3100, 0x800}, true);
	CHECK(*texts.find(0x2800) == TextSegment{0x2800, 0x6000, 0x800});
	CHECK(texts.size() == 2);
}

TEST_CASE("texts of memory that is always mapped elsewhere are kept up to a limit", "[cli][lasting]")
{
	TextSegments texts;

	for (uint64_t i = 0; i < 2 * TextSegments::most; i++)
		texts.add({i * 0x10000, i * 0x10000 + 0x1000}, false);
	CHECK(texts.size() == TextSegments::most);
	REQUIRE(texts.find((2 * TextSegments::most - 1) * 0x10000) != nullptr);
	CHECK(texts.find(0x1000) == nullptr);
	CHECK(*texts.find(0x10000) == TextSegment{0x10000, 0x11000, 0});
}

TEST_CASE("refused processes are told apart up to a limit", "[cli][lasting]")
{
	Refusals refusals;

	for (pid_t pid = 1; pid <= 10000; pid++)
		refusals.add(pid, "p", "no");
	refusals.add(5, "p", "no");
	REQUIRE(refusals.lines().size() == 1);
	CHECK(refusals.lines()[0].starts_with("10,000 processes were not attached: no: p (pid 1), "));
	refusals.add(10001, "p", "no");
	CHECK(refusals.lines()[0].starts_with(
		"more than 10,000 processes were not attached: no: p (pid 1), "));
}
