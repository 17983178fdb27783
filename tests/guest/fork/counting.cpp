// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/fork/counting.cpp  The counts of a profiled process's children, and the memory
 * that they count in.
 */
#include "tests/guest/support/burner.h"
#include "tests/guest/support/device.h"
#include "tests/support/catch.h"

#include <algorithm>
#include <csignal>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
const uintptr_t text = Burner::usual;

/** One counter for each of `number` loops. */
std::vector<profil_region> loops(const Memory &counters, size_t number)
{
	std::vector<profil_region> regions;

	for (size_t i = 0; i < number; i++)
		regions.push_back(
			one_counter(text + 64 * i, text + 64 * i + CODE_LOOP_RETURN, counters.at(8 * i), 8));
	return regions;
}

profil_start followed(std::span<const profil_region> regions)
{
	auto how = describe(regions);

	how.flags = PROFIL_FOLLOW;
	return how;
}

struct Seen {
	uint64_t counters[4];
	uint64_t ticks;
	profil_status status;
};

/** Run one of the loops.  Returns the counters and the status afterwards. */
Seen burn_and_look(const Device &device, const Burner &burner, const Memory &counters, size_t loop)
{
	Seen seen;

	seen.ticks = burn_ticks(device, burner, text + 64 * loop, 5);
	for (size_t i = 0; i < 4; i++)
		seen.counters[i] = counter<uint64_t>(counters, i);
	seen.status = device.status();
	return seen;
}

} // namespace

TEST_CASE_METHOD(AtRest, "a child counts in its own copy, and its parent in the original", "[fork][lifetime]")
{
	const Device device;
	const Burner burner;
	const Memory counters(page);
	const auto regions = loops(counters, 3);

	device.start(followed(regions));
	const auto before = burn_ticks(device, burner, text, 5);
	ChildOf<Seen> child([&] { return burn_and_look(device, burner, counters, 1); });
	const auto after = burn_ticks(device, burner, text + 128, 5);
	const auto seen = child.result();

	CHECK(seen.counters[0] == before); /* copied */
	CHECK(seen.counters[1] == seen.ticks);
	CHECK(seen.counters[2] == 0);
	CHECK(seen.status.counted == seen.ticks); /* only the child's own */
	CHECK(seen.status.pinned == page);
	CHECK(seen.status.processes == 1);
	CHECK(seen.status.period == period_10khz);
	CHECK(counter<uint64_t>(counters, 0) == before);
	CHECK(counter<uint64_t>(counters, 1) == 0);
	CHECK(counter<uint64_t>(counters, 2) == after);
	CHECK(device.status().forks_lost == 0);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "without PROFIL_FOLLOW a child is not profiled", "[fork]")
{
	const Device device;
	const Burner burner;
	const Memory counters(page);

	device.start(describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8)));
	const auto state = in_child([&] {
		burner.burn(text, 5'000'000);
		return device.status().state;
	});
	CHECK(state == PROFIL_STATE_NONE);
	CHECK(device.status().state == PROFIL_STATE_RUNNING);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "a child counts in the same memory if that is shared", "[fork]")
{
	const Device device;
	const Burner burner;
	const Memory counters(page, MAP_SHARED);
	const auto regions = loops(counters, 2);

	device.start(followed(regions));
	const auto mine = burn_ticks(device, burner, text, 5);
	ChildOf<uint64_t> child([&] { return burn_ticks(device, burner, text, 5); });
	const auto more = burn_ticks(device, burner, text, 5);
	const auto its = child.result();
	CHECK(counter<uint64_t>(counters) == mine + more + its);
	CHECK(device.status().counted == mine + more);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "a child counts from zero in memory that fork wipes", "[fork]")
{
	const Device device;
	const Burner burner;
	const Memory counters(page);
	const auto regions = loops(counters, 2);

	need(madvise(counters.at(), page, MADV_WIPEONFORK), "madvise");
	device.start(followed(regions));
	const auto before = burn_ticks(device, burner, text, 5);
	const auto seen = in_child([&] { return burn_and_look(device, burner, counters, 1); });

	CHECK(seen.counters[0] == 0);
	CHECK(seen.counters[1] == seen.ticks);
	CHECK(seen.status.counted == seen.ticks);
	CHECK(seen.status.pinned == page);
	CHECK(counter<uint64_t>(counters, 0) == before);
	CHECK(counter<uint64_t>(counters, 1) == 0);
	CHECK(device.status().forks_lost == 0);

	/* Ticks count in memory that replaces the counters. */
	need_that(mmap(counters.at(), page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		       -1, 0) == counters.at(),
		  "mmap");
	CHECK(device.status().state == PROFIL_STATE_RUNNING); /* checks the memory */
	CHECK(device.status().pinned == 0);
	CHECK(counter<uint64_t>(counters, 0) == 0);
	const auto after = burn_ticks(device, burner, text, 5);
	CHECK(counter<uint64_t>(counters, 0) == after);
	CHECK(device.status().pinned == page);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "each process in a chain of children counts only its own ticks", "[fork]")
{
	const Device device;
	const Burner burner;
	const Memory counters(page);
	const auto regions = loops(counters, 4);
	struct Chain {
		Seen seen[3];
	};

	device.start(followed(regions));
	const auto chain = in_child([&] {
		Chain result;
		result.seen[0] = burn_and_look(device, burner, counters, 1);
		const auto deeper = in_child([&] {
			Chain next;
			next.seen[1] = burn_and_look(device, burner, counters, 2);
			next.seen[2] = in_child([&] { return burn_and_look(device, burner, counters, 3); });
			return next;
		});
		result.seen[1] = deeper.seen[1];
		result.seen[2] = deeper.seen[2];
		return result;
	});
	for (size_t i = 0; i < 3; i++) {
		CAPTURE(i);
		const auto &seen = chain.seen[i];
		CHECK(seen.counters[i + 1] == seen.ticks);
		CHECK(seen.status.counted == seen.ticks);
		for (size_t k = 1; k < 4; k++)
			CHECK(seen.counters[k] == (k <= i + 1 ? chain.seen[k - 1].ticks : 0));
	}
	CHECK(sum_counters<uint64_t>(counters) == 0);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "a child stores its PCs after its parent's", "[fork]")
{
	const Device device;
	const Burner burner;
	const Memory samples(page);
	struct Stored {
		uint64_t first, last, stored, pc[512];
	};

	auto how = describe_samples(samples.at(), 512);
	how.flags = PROFIL_FOLLOW;
	device.start(how);
	burn_ticks(device, burner, text, 20);
	ChildOf<Stored> child([&] {
		Stored result;
		result.first = device.status().stored;
		burn_ticks(device, burner, text + 64, 20);
		burner.burn_until(text + 64, [&] {
			const auto *pcs = samples.at<uint64_t>();
			return std::count(pcs, pcs + 512, text + 64) > 0;
		});
		result.last = device.status().stored;
		result.stored = device.stop();
		std::copy_n(samples.at<uint64_t>(), 512, result.pc);
		return result;
	});
	const auto forked_at = device.status().stored;
	const auto seen = child.result();
	const auto mine = device.stop();

	CHECK(forked_at >= 20);
	CHECK(seen.first >= 20);
	CHECK(seen.last >= seen.first + 20);
	CHECK(seen.stored >= seen.last);
	/* The array holds the parent's PCs, then the child's PCs in its own loop. */
	CHECK(std::equal(seen.pc, seen.pc + 20, samples.at<uint64_t>()));
	CHECK(std::count(seen.pc, seen.pc + 20, text + 64) == 0);
	CHECK(std::count(seen.pc + 20, seen.pc + seen.stored, text + 64) > 0);
	CHECK(std::count(seen.pc, seen.pc + seen.stored, 0) == 0);
	CHECK(std::count(samples.at<uint64_t>(), samples.at<uint64_t>(mine * 8), text + 64) == 0);
}

TEST_CASE_METHOD(AtRest, "the child of a stopped profile is off for the same reason", "[fork]")
{
	const Device device;
	const Burner burner;
	const ClockKeeper keeper;

	SECTION("a full array")
	{
		const Memory samples(page);
		auto how = describe_samples(samples.at(), 4);
		how.flags = PROFIL_FOLLOW;
		device.start(how);
		burner.burn_until(text, [&] { return device.status().state == PROFIL_STATE_FULL; });
		const auto status = in_child([&] {
			burn_ticks(device, burner, text, 5, &profil_status::off);
			return device.status();
		});
		CHECK(status.state == PROFIL_STATE_FULL);
		CHECK(status.stored == 4);
		CHECK(status.counted == 0);
		CHECK(status.off > 0);
	}
	SECTION("a counter at its limit")
	{
		const Memory counters(page);
		auto how = describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 4));
		const auto region = one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 4);
		how.regions = reinterpret_cast<uintptr_t>(&region);
		how.flags = PROFIL_FOLLOW;
		how.limit_policy = PROFIL_LIMIT_STOP;
		how.limit = 3;
		device.start(how);
		burner.burn_until(text, [&] { return device.status().state == PROFIL_STATE_LIMIT; });
		const auto status = in_child([&] {
			burn_ticks(device, burner, text, 5, &profil_status::off);
			return device.status();
		});
		CHECK(status.state == PROFIL_STATE_LIMIT);
		CHECK(status.counted == 0);
		CHECK(status.off > 0);
		CHECK(counter<uint32_t>(counters) == 3);
	}
	device.stop();
}

TEST_CASE_METHOD(AtRest, "a child can stop and start its profile without any effect on its parent's",
		 "[fork]")
{
	const Device device;
	const Burner burner;
	const Memory counters(page);
	const auto regions = loops(counters, 2);

	device.start(followed(regions));
	const auto in_its_own = in_child([&] {
		device.stop();
		need_that(device.status().state == PROFIL_STATE_NONE, "the child's profile is stopped");
		device.start(followed(regions));
		return burn_ticks(device, burner, text + 64, 5);
	});
	CHECK(in_its_own >= 5);
	CHECK(counter<uint64_t>(counters, 1) == 0);
	CHECK(device.status().state == PROFIL_STATE_RUNNING);
	const auto ticks = burn_ticks(device, burner, text, 5);
	CHECK(counter<uint64_t>(counters) == ticks);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "with PROFIL_FAULT_REGION a child goes on in the remaining regions", "[fork]")
{
	const Device device;
	const Burner burner;
	Memory gone(page);
	const Memory stays(page);
	const std::vector<profil_region> regions = {
		one_counter(text, text + CODE_LOOP_RETURN, gone.at(), 4),
		one_counter(text + 64, text + 64 + CODE_LOOP_RETURN, stays.at(), 4)};
	auto how = followed(regions);

	how.flags |= PROFIL_FAULT_REGION;
	device.start(how);
	burn_ticks(device, burner, text, 3);
	burn_ticks(device, burner, text + 64, 3);
	CHECK(device.status().pinned == 2 * page);
	munmap(gone.at(), page);
	gone.forget();
	CHECK(device.status().pinned == page);
	struct Life {
		uint64_t ticks, counter, off;
		profil_status status;
	};
	const auto life = in_child([&] {
		Life result = {};
		result.off = burn_ticks(device, burner, text, 3, &profil_status::off);
		const auto before = counter<uint32_t>(stays);
		result.ticks = burn_ticks(device, burner, text + 64, 3);
		result.counter = counter<uint32_t>(stays) - before;
		result.status = device.status();
		return result;
	});
	CHECK(life.status.state == PROFIL_STATE_RUNNING);
	CHECK(life.status.pinned == page);
	CHECK(life.off >= 3);
	CHECK(life.ticks >= 3);
	CHECK(life.counter == life.ticks);
	CHECK(device.status().forks_lost == 0);
	device.stop();
}

TEST_CASE_METHOD(AtRest,
		 "a child that does not inherit the array of PCs is off at its first tick, and not lost",
		 "[fork]")
{
	const Device device;
	const Burner burner;
	struct Life {
		uint64_t off;
		profil_status status;
	};

	for (const uint32_t flags : {0U, uint32_t{PROFIL_FAULT_REGION}}) {
		const unsigned width = GENERATE(4, 8);

		CAPTURE(flags, width);
		const Memory samples(page);
		auto how = describe_samples(samples.at(), page / width, width);

		how.flags |= PROFIL_FOLLOW | flags;
		device.start(how);
		burn_ticks(device, burner, text, 5);
		REQUIRE(madvise(samples.at(), page, MADV_DONTFORK) == 0);
		const auto life = in_child([&] {
			Life result = {};
			result.off = burn_ticks(device, burner, text, 3, &profil_status::off);
			result.status = device.status();
			return result;
		});
		CHECK(life.off >= 3);
		CHECK(life.status.state == PROFIL_STATE_FAULT);
		CHECK(life.status.counted == 0);
		CHECK(life.status.stored == 0);
		CHECK(life.status.pinned == 0);
		CHECK(device.status().forks_lost == 0);
		CHECK(device.stop() >= 5);
	}
}
