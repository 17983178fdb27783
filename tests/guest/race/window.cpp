// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/race/window.cpp  A command takes memory from a profile, and the
 * program reuses it at once, while a tick on the other CPU may be about to write there.
 *
 * A tick of the ordinary module is too short for that to happen often; `make check-window` runs
 * these tests with a module that delays each tick just before it counts (kmod/tick/window.h).
 */
#include "tests/guest/support/cpu.h"
#include "tests/guest/support/race.h"
#include "tests/support/catch.h"

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
const uintptr_t text = Burner::usual;
/* Several times as long as the window. */
constexpr uint64_t period = 10'000'000;

/** Spins on the second CPU, in a process or a thread, and shows its progress. */
class Burning {
public:
	void run() const
	{
		stay_on(1);
		while (!counter<uint64_t>(shared_, 1)) {
			Burner::spin(text, 100);
			__atomic_fetch_add(shared_.at<uint64_t>(), 1, __ATOMIC_RELAXED);
		}
	}
	void end() const { __atomic_store_n(shared_.at<uint64_t>(8), 1, __ATOMIC_RELAXED); }

	/**
	 * Wait until the loop has made progress, and then makes none, as during a tick.  Give up
	 * after a while, because a tick may be too short to be seen.
	 */
	void await_tick() const
	{
		unsigned moved = 0, still = 0;
		uint64_t seen = 0;

		for (unsigned polls = 0; polls < 2'000'000 && still < 20'000; polls++) {
			const auto now = counter<uint64_t>(shared_);

			moved += now != seen;
			still = moved < 20 || now != seen ? 0 : still + 1;
			seen = now;
		}
	}
	/** Wait until the loop makes progress again, so that a tick in progress has ended. */
	void await() const
	{
		const auto seen = counter<uint64_t>(shared_);

		need_that(soon([&] { return counter<uint64_t>(shared_) > seen + 1; }), "it goes on");
	}

private:
	Memory shared_{page, MAP_SHARED};
};

Fd page_file()
{
	Fd file(need(memfd_create("counters", MFD_CLOEXEC), "memfd_create"));

	need(ftruncate(file.get(), page), "ftruncate");
	return file;
}

/** A tick's path to the counter; the overflow counter has only the slow path. */
struct Path {
	const char *name;
	uint32_t limit_policy;
	bool overflow;
};

const Path paths[] = {
	{"fast, wrapping", PROFIL_WRAP, false},
	{"fast, saturating", PROFIL_SATURATE, false},
	{"slow", PROFIL_WRAP, true},
};

/** Counters, and a second mapping of the same memory, which stays when the first is unmapped. */
struct Place {
	Fd file = page_file();
	Memory counters{page, MAP_SHARED, file.get()}, kept{page, MAP_SHARED, file.get()};

	profil_start start(const Path &path) const
	{
		profil_start how =
			describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 4), period);

		how.limit_policy = path.limit_policy;
		if (path.overflow) {
			how.nr_regions = how.region_size = 0;
			how.regions = 0;
			how.overflow = counters.address();
			how.overflow_width = 4;
		}
		return how;
	}
};

/** Wait for the first tick, and then until another one may be on its way to the counter. */
void await_ticks(const Place &place, const Burning &burning)
{
	need_that(soon([&] { return counter<uint32_t>(place.counters) > 0; }), "there are ticks");
	burning.await_tick();
}

/** The memory is no longer the profile's: use it, and check that no tick writes there. */
void check_use(const Place &place, const Burning &burning)
{
	give_up(place.kept);
	burning.await();
	CHECK(given_up(place.kept));
}

using Take = void (*)(const Device &, uint32_t profile, Place &, const Place &other);

const struct {
	const char *name;
	Take take; /* makes a recording of another process give up its table */
} commands[] = {
	{"PROFIL_STOP", [](auto &device, auto profile, auto &, auto &) { device.stop(profile); }},
	{"PROFIL_TABLE",
	 [](auto &device, auto profile, auto &, auto &other) {
		 auto change = describe_table(profile, other.counters);
		 need_that(device.call(PROFIL_TABLE, &change) == 0, "PROFIL_TABLE");
	 }},
	{"munmap and PROFIL_STATUS",
	 [](auto &device, auto profile, auto &place, auto &) {
		 need(munmap(place.counters.at(), page), "munmap");
		 place.counters.forget();
		 need_that(device.status(profile).state == PROFIL_STATE_FAULT, "the recording is off");
	 }},
};

/**
 * One round: takes the memory from a self profile that has ticks, and checks that it can be reused.
 */
using Round = void (*)(const Device &, Place &, const Burning &, unsigned i, const Path &path);

/** Runs rounds of a self profile, while another thread spins on the second CPU. */
void check_self_profiles(unsigned most, Round round)
{
	const Path &path = GENERATE(from_range(std::begin(paths), std::end(paths)));
	const Device device;
	const Burner burner;
	const Burning burning;

	burner.plant_loop(text);
	stay_on(0);
	std::thread other([&] { burning.run(); });
	for (unsigned i = 0; i < rounds(most); i++) {
		CAPTURE(path.name, i);
		Place place;
		device.start(place.start(path));
		await_ticks(place, burning);
		round(device, place, burning, i, path);
	}
	device.stop();
	burning.end();
	other.join();
}

} // namespace

TEST_CASE_METHOD(AtRest, "memory that is taken from a recording can be used at once", "[window]")
{
	const Device device;
	const Burner burner;
	const Burning burning;

	burner.plant_loop(text);
	const Child target([&] { burning.run(); });
	stay_on(0);
	const Fd proof = proof_of(target.pid());
	for (const auto &command : commands)
		for (unsigned i = 0; i < rounds(80); i++) {
			CAPTURE(command.name, i);
			Place place;
			const Place other;
			const auto profile =
				device.record(describe_recording(place.counters, 0, period), proof.get());
			need_that(soon([&] { return sum_table(place.counters) > 0; }), "there are ticks");
			burning.await_tick();
			command.take(device, profile, place, other);
			check_use(place, burning);
			if (command.take != commands[0].take)
				device.stop(profile);
		}
}

TEST_CASE_METHOD(AtRest, "memory that is taken from a self profile can be used at once", "[window]")
{
	check_self_profiles(80, [](auto &device, auto &place, auto &burning, auto i, auto &path) {
		const Place next;

		/* The profile ends, or another one takes its place. */
		if (i % 2)
			device.stop();
		else
			device.start(next.start(path));
		check_use(place, burning);
	});
}

TEST_CASE_METHOD(AtRest, "memory that a program has unmapped can be used once it is not pinned", "[window]")
{
	check_self_profiles(40, [](auto &device, auto &place, auto &burning, auto, auto) {
		need(munmap(place.counters.at(), page), "munmap");
		place.counters.forget();
		/* The first thread with a tick after the check is due makes the check. */
		for (unsigned n = 0; n < 1'000'000 && module_stat("pinned_pages"); n++)
			Burner::spin(text, 200);
		check_use(place, burning);
		/* The next tick finds the hole. */
		CHECK(soon([&] { return device.status().state == PROFIL_STATE_FAULT; }));
		device.stop();
	});
}
