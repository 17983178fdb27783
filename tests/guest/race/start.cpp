// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/race/start.cpp  Self profiles that start and stop while threads run, fork and
 * handle signals.
 */
#include "tests/guest/record/support.h"
#include "tests/guest/support/race.h"
#include "tests/support/catch.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
const uintptr_t text = Burner::usual;

/** A self profile for each way in which a tick writes. */
profil_start plain(const Memory &memory)
{
	return describe(one_counter(text, text + CODE_LOOP_RETURN, memory.at(), 4));
}

profil_start saturating(const Memory &memory)
{
	auto how = describe(one_counter(text, text + CODE_LOOP_RETURN, memory.at(), 8));

	how.limit_policy = PROFIL_SATURATE;
	return how;
}

profil_start stored(const Memory &memory)
{
	return describe_samples(memory.at(), memory.bytes() / 8);
}

profil_start followed(std::span<const profil_region> regions)
{
	auto how = describe(regions);

	how.flags = PROFIL_FOLLOW;
	return how;
}

/** Number of elements with a PC, among the first @p nr of the array. */
uint64_t stored_in(const Memory &memory, uint64_t nr)
{
	const auto *element = memory.at<const uint64_t>();

	return nr - std::count(element, element + nr, 0);
}

/**
 * Called in a child.  Returns 0 if it is profiled and counts correctly, 1 if it is not profiled.
 */
int look_in_child(const Device &device, const Memory &counters)
{
	if (device.status().state == PROFIL_STATE_NONE)
		return 1;
	need_that(device.status().state == PROFIL_STATE_RUNNING, "the profile is complete");
	need_that(counter<uint64_t>(counters, 1) == 0, "the child's counter is unused");
	Burner::spin(text + 64, 100'000);
	const auto counted = device.status().counted;
	need_that(counter<uint64_t>(counters, 1) == counted, "the child counts in its own counter");
	device.stop();
	give_up(counters);
	Burner::spin(text + 64, 50'000);
	need_that(given_up(counters), "nothing is written after the stop");
	return 0;
}

/**
 * The numbers of children that were, and were not, profiled while their parent started profiles.
 */
struct Forked {
	unsigned profiled = 0, not_profiled = 0;
};

/** @param before runs before each start, which happens at the same time as a fork. */
Forked fork_beside_starts(const Device &device, unsigned number, const std::function<void()> &before)
{
	Forked forked;

	for (unsigned i = 0; i < number; i++) {
		const Memory counters(page);
		const std::vector<profil_region> regions = {
			one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8)};
		std::atomic<bool> ready = false;

		before();
		std::thread starter([&] {
			ready = true;
			device.start(followed(regions));
		});
		while (!ready)
			;
		Child child([&] { _exit(device.status().state == PROFIL_STATE_RUNNING ? 3 : 4); });
		const int status = child.reap();

		forked.profiled += status == 3 << 8;
		forked.not_profiled += status == 4 << 8;
		starter.join();
		device.stop();
	}
	return forked;
}

} // namespace

TEST_CASE_METHOD(AtRest, "once a profile has stopped its memory is never written again", "[race]")
{
	const Device device;
	const Burner burner;
	constexpr size_t places = 8;
	std::vector<std::unique_ptr<Memory>> memory;

	burner.plant_loop(text);
	for (size_t i = 0; i < places; i++) {
		memory.push_back(std::make_unique<Memory>(page));
		give_up(*memory[i]);
	}
	const Burners others(text);
	for (const auto kind : {plain, saturating, stored}) {
		const ModuleCount all;
		uint64_t counted = 0, touched = 0;

		CAPTURE(kind == plain, kind == stored);
		for (unsigned i = 0; i < rounds(50); i++) {
			const Memory &now = *memory[i % places];

			/* This memory was released several stops ago. */
			touched += !given_up(now);
			memset(now.at(), 0, page);
			device.start(kind(now));
			Burner::spin(text, 30'000);
			if (i == 0)
				burn_ticks(device, burner, text, 1);
			const auto stop = device.stop();
			/* PCs that waited for their page at the stop may have left empty elements. */
			if (kind == stored)
				counted += stored_in(now, stop);
			else
				counted += counter<uint64_t>(now);
			give_up(now);
		}
		for (const auto &one : memory)
			touched += !given_up(*one);
		CHECK(touched == 0);
		CHECK(all.becomes(counted));
		CHECK(counted > 0);
	}
}

TEST_CASE_METHOD(AtRest, "a child is profiled completely or not at all while its parent starts and stops",
		 "[race]")
{
	const Device device;
	const Burner burner;
	const Memory counters(page);
	const std::vector<profil_region> regions = {
		one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8),
		one_counter(text + 64, text + 64 + CODE_LOOP_RETURN, counters.at(8), 8)};
	const auto lost = module_stat("forks_lost");
	std::atomic<bool> done = false;
	unsigned profiled = 0, not_profiled = 0;

	burner.plant_loop(text);
	burner.plant_loop(text + 64);
	std::thread starter([&] {
		while (!done) {
			device.start(followed(regions));
			Burner::spin(text, 5'000);
			device.stop();
		}
	});
	const unsigned number = rounds(60);
	for (unsigned i = 0; i < number; i++) {
		Child child([&] { _exit(look_in_child(device, counters)); });
		const int status = child.reap();

		profiled += status == 0;
		not_profiled += status == 1 << 8;
	}
	done = true;
	starter.join();
	CHECK(profiled + not_profiled == number);
	CHECK(module_stat("forks_lost") == lost);
	CHECK(counter<uint64_t>(counters, 1) == 0);
}

TEST_CASE_METHOD(AtRest, "a child that is forked during its parent's first start is not lost", "[race]")
{
	const Device device;
	const auto lost = module_stat("forks_lost");
	const unsigned number = rounds(200);
	const auto forked = fork_beside_starts(device, number, [] {});

	CHECK(forked.profiled + forked.not_profiled == number);
	CHECK(module_stat("forks_lost") == lost);
}

TEST_CASE_METHOD(AtRest, "a child that is forked while a profile is replaced is profiled", "[race]")
{
	const Device device;
	const Memory counters(page);
	const std::vector<profil_region> regions = {
		one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8)};
	const auto lost = module_stat("forks_lost");
	const unsigned number = rounds(200);
	const auto forked = fork_beside_starts(device, number, [&] { device.start(followed(regions)); });

	CHECK(forked.profiled == number);
	CHECK(module_stat("forks_lost") == lost);
}

TEST_CASE_METHOD(AtRest, "a profile whose memory comes and goes starts, and runs until a tick meets a hole",
		 "[race]")
{
	const Device device;
	const Burner burner;
	const Memory counters(4 * page);
	std::atomic<bool> done = false;
	uint64_t counted = 0;
	unsigned faults = 0;

	burner.plant_loop(text);
	std::thread mapper([&] {
		while (!done) {
			munmap(counters.at(page), page);
			mmap(counters.at(page), page, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
			mprotect(counters.at(2 * page), page, PROT_READ);
			mprotect(counters.at(2 * page), page, PROT_READ | PROT_WRITE);
			madvise(counters.at(), page, MADV_DONTNEED);
		}
	});
	for (unsigned i = 0; i < rounds(150); i++) {
		/* The loop's counter is in the page that gets unmapped, or in the read-only one. */
		device.start(describe(
			one_counter(text, text + CODE_LOOP_RETURN, counters.at((1 + i % 2) * page), 8)));
		Burner::spin(text, 50'000);
		const auto status = device.status();
		need_that(status.state == PROFIL_STATE_RUNNING || status.state == PROFIL_STATE_FAULT,
			  "the profile is running or has a fault");
		need_that(status.state == PROFIL_STATE_FAULT || status.off == 0, "only a fault turns it off");
		counted += status.counted;
		faults += status.state == PROFIL_STATE_FAULT;
		device.stop();
		need_that(locked_bytes() == 0, "no page stays pinned");
	}
	done = true;
	mapper.join();
	INFO(faults << " faults");
	CHECK(counted > 0);
	CHECK(module_stat("pinned_pages") == pages());
}

TEST_CASE_METHOD(AtRest, "permanently pending signals fail no command", "[race]")
{
	const Burner burner;
	const Memory counters(page);
	const Child target = burning_child(text);
	std::atomic<bool> done = false;
	const pthread_t main = pthread_self();
	struct sigaction act = {}, before;
	static std::atomic<unsigned> signals;

	burner.plant_loop(text);
	act.sa_handler = [](int) { signals++; };
	act.sa_flags = SA_RESTART;
	sigaction(SIGUSR1, &act, &before);
	std::thread bomber([&] {
		while (!done)
			pthread_kill(main, SIGUSR1);
	});
	while (!signals)
		Burner::spin(text, 1'000);
	const ModuleCount all;
	uint64_t counted = 0;
	{
		const Device device;
		const Fd proof = proof_of(target.pid());

		for (unsigned i = 0; i < rounds(40); i++) {
			*counters.at<volatile uint64_t>() = 0;
			device.start(plain(counters)); /* each throws when it fails */
			Burner::spin(text, 10'000);
			device.status();
			device.stop();
			counted += counter<uint64_t>(counters);
			Recording recording(256);
			recording.begin_with(proof);
			recording.finish();
			counted += recording.status().counted;
		}
	}
	done = true;
	bomber.join();
	sigaction(SIGUSR1, &before, nullptr);
	CHECK(all.becomes(counted));
}

TEST_CASE_METHOD(AtRest, "contention on a counter loses ticks, and each is accounted for", "[race]")
{
	const Device device;
	const Burner burner;
	const Memory counters(page);

	burner.plant_loop(text);
	for (const uint32_t policy : {PROFIL_WRAP, PROFIL_SATURATE}) {
		std::atomic<bool> done = false;
		uint64_t added = 0;
		auto how = describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8));

		CAPTURE(policy);
		memset(counters.at(), 0, page);
		how.limit_policy = policy;
		device.start(how);
		std::thread vandal([&] {
			while (!done)
				for (int i = 0; i < 1000; i++, added++)
					__atomic_fetch_add(counters.at<uint64_t>(), 1, __ATOMIC_RELAXED);
		});
		for (unsigned i = 0; i < rounds(80); i++) {
			Burner::spin(text, 100'000);
			device.status(); /* throws when the causes do not add up */
		}
		done = true;
		vandal.join();
		const auto status = device.status();
		device.stop();
		/* Neither the kernel nor the program has lost an increment to the other. */
		CHECK(counter<uint64_t>(counters) == added + status.counted);
		CHECK(status.saturated == 0);
		CHECK((policy == PROFIL_SATURATE || status.lost_contended == 0));
	}
}
