// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/recording/lasting.cpp  The state of a long recording, whose processes come and go. */
#include "cli/objects/owners.h"
#include "cli/objects/tally.h"
#include "cli/objects/text_segments.h"
#include "cli/recording/coverage.h"
#include "cli/recording/refusals.h"
#include "tests/host/cli/mappings.h"
#include "tests/support/catch.h"

#include <ctime>
#include <unistd.h>

using namespace cli;
using cli_test::memory;

namespace {

/* Above every possible PID and TID, because the code looks them up on this machine. */
constexpr pid_t no_pid = 100000000;

double cpu_seconds()
{
	return static_cast<double>(clock()) / CLOCKS_PER_SEC;
}

/** A process with @p number executable mappings, none of them adjacent. */
std::vector<Mapping> scattered(size_t number)
{
	std::vector<Mapping> mappings;

	for (size_t i = 0; i < number; i++)
		mappings.push_back(memory(0x10000000 + i * 0x2000, 0x1000));
	return mappings;
}

/** CPU time to cover such a process twice. */
double time_to_cover(size_t number)
{
	const std::vector<Mapping> mappings = scattered(number);
	ObjectTable objects;
	CounterPool pool;
	Coverage coverage;
	const double begin = cpu_seconds();

	for (int times = 0; times < 2; times++)
		coverage.update(getpid(), mappings, objects, pool, {uint64_t{1} << 20, 12, UINT32_MAX});
	REQUIRE(coverage.find(0x10000000)->object->texts.size() == number);
	return cpu_seconds() - begin;
}

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
	CHECK(tally.unknown().at({1 << 12, 0, 0}) == 2);
	CHECK(tally.unknown().at({0, 0, 0}) == 2 * Tally::most_unknown);
	CHECK(tally.total() == 3 * Tally::most_unknown + 1);

	Tally sum = tally;

	sum.add(tally);
	CHECK(sum.unknown().size() == Tally::most_unknown + 1);
	CHECK(sum.total() == 2 * tally.total());
}

TEST_CASE("the memory of ended processes becomes one object when there is much of it", "[cli][lasting]")
{
	ObjectTable objects;
	Tally tally;

	for (pid_t pid = no_pid; pid < no_pid + 10; pid++)
		tally.add(objects.find(pid, memory(0x1000, 0x1000)),
			  {0x1000U + static_cast<uint64_t>(pid), 0, 3}, 5);
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
			CHECK(buckets.begin()->first == Bucket{0, 0, 3});
	}
	CHECK(samples == std::map<std::string, uint64_t>{{"[anon]", 45}, {"[anon:100000009]", 5}});
}

TEST_CASE("memory of ended processes is kept only if it has samples", "[cli][lasting]")
{
	ObjectTable objects;
	CounterPool pool;
	Tally tally;

	for (pid_t pid = no_pid; pid < no_pid + 1000; pid++) {
		Coverage coverage;

		coverage.update(pid, scattered(3), objects, pool, {1 << 20, 0, UINT32_MAX});
		CHECK(coverage.bytes() == 3 * 0x1000 * counter_bytes);
		CHECK(objects.size() == 2);
		coverage = Coverage();
		pool.drain_unused(tally);
		objects.forget_memory(pid);
		CHECK(pool.bytes() == 0);
		CHECK(objects.size() == 0);
	}
	CHECK(tally.objects().empty());
}

TEST_CASE("counters that are used keep their counts when the others are freed", "[cli][lasting]")
{
	ObjectTable objects;
	CounterPool pool;
	Tally tally;
	const std::shared_ptr<Object> object = objects.find(no_pid, memory(0x1000, 0x2000));
	const std::shared_ptr<CounterArray> used = pool.add(object, 0x1000, 0x1000, 0);

	reinterpret_cast<uint32_t *>(used->region(0x1000, 0x2000, 0x1000).buffer)[1] = 7;
	reinterpret_cast<uint32_t *>(
		pool.add(object, 0x2000, 0x1000, 0)->region(0x2000, 0x3000, 0x2000).buffer)[2] = 9;
	pool.drain_unused(tally);
	CHECK(tally.total() == 9);
	CHECK(tally.objects().at(object) == Tally::Buckets{{{0x2002, 0, 0}, 9}});
	CHECK(pool.bytes() == 0x1000 * counter_bytes);
	pool.drain(tally);
	CHECK(tally.total() == 16);
}

TEST_CASE("texts that touch are merged if they are contiguous in the file", "[cli][lasting]")
{
	TextSegments texts;

	texts.add({0x3000, 0x4000, 0x1000}, true);
	texts.add({0x1000, 0x2000, 0}, true); /* 0x1000 from its offset, the first one 0x2000 */
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
		texts.add({i * 0x10000, i * 0x10000 + 0x1000, 0}, false);
	CHECK(texts.size() == TextSegments::most);
	REQUIRE(texts.find((2 * TextSegments::most - 1) * 0x10000) != nullptr);
	CHECK(texts.find(0x1000) == nullptr);
	CHECK(*texts.find(0x10000) == TextSegment{0x10000, 0x11000, 0});
}

TEST_CASE("a process with four times as many executable mappings takes four times as long", "[cli][lasting]")
{
	time_to_cover(1000);
	const double few = time_to_cover(5000);

	CHECK(time_to_cover(20000) < 10 * few);
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
