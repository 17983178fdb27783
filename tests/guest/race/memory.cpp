// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/race/memory.cpp  The counters' memory is unmapped, moved, copied or dropped
 * while ticks of some threads need it and another thread keeps asking for the status.
 */
#include "tests/guest/support/places.h"
#include "tests/guest/support/race.h"
#include "tests/support/catch.h"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
const uintptr_t text = Burner::usual;

struct Change {
	const char *name;
	bool takes; /* the page can no longer be written where it was */
	void (*make)(const LonePage &counters, const Memory &elsewhere);
	bool readable; /* the old memory is readable afterwards */
};

const Change changes[] = {
	{"munmap", true, [](auto &it, auto &) { munmap(it.at(), page); }, false},
	{"mprotect", true, [](auto &it, auto &) { mprotect(it.at(), page, PROT_READ); }, true},
	{"mremap", true,
	 [](auto &it, auto &to) {
		 need_that(mremap(it.at(), page, page, MREMAP_MAYMOVE | MREMAP_FIXED, to.at()) != MAP_FAILED,
			   "mremap");
	 },
	 false},
	{"MADV_DONTNEED", false, [](auto &it, auto &) { madvise(it.at(), page, MADV_DONTNEED); }, true},
	{"fork", false, [](auto &, auto &) { Child([] {}).join(); }, true},
};

/** A profile that counts in a page: a recording, or profile 0, the process's own. */
struct Counting {
	const Device &device;
	uint32_t profile;

	/**
	 * Checks the state after a change; a self profile's state changes when a tick needs the
	 * memory.
	 */
	void check_state(const Change &change, const profil_status &status) const
	{
		const uint32_t state = change.takes ? PROFIL_STATE_FAULT : PROFIL_STATE_RUNNING;

		if (profile) {
			need_that(status.state == state,
				  "the recording is off if its memory is gone, else on");
			need_that(status.pinned == (change.takes ? 0 : page),
				  "the page is pinned only if the recording is on");
			return;
		}
		need_that(status.state == state || status.state == PROFIL_STATE_RUNNING,
			  "only memory that is gone turns the profile off");
		need_that(!change.takes || status.pinned == 0, "a page that is gone is not pinned");
		await_tick(state, change.takes ? 0 : page);
	}

private:
	void await_tick(uint32_t state, uint64_t pinned) const
	{
		need_that(soon([&] {
				  Burner::spin(text, 1'000);
				  const auto status = device.status();

				  return status.state == state && status.pinned == pinned;
			  }),
			  "a tick turns the profile off if its memory is gone, else pins it again");
	}
};

bool same_after_a_while(const void *where, uint64_t *kept)
{
	memcpy(kept, where, page);
	Burner::spin(text, 20'000);
	return memcmp(kept, where, page) == 0;
}

/**
 * Make one change.  Once a status has reported it, the memory that was taken away must not be
 * written.
 */
void strike(const Change &change, const Counting &counting, const LonePage &counters)
{
	static uint64_t kept[page / 8];
	const Memory elsewhere(page);

	Burner::spin(text, 20'000);
	change.make(counters, elsewhere);
	const auto status = counting.device.status(counting.profile);
	if (change.takes) {
		need_that(same_after_a_while(elsewhere.at(), kept),
			  "the page is not written at its new address");
		need_that(!change.readable || same_after_a_while(counters.at(), kept),
			  "the page is not written at its old address");
	}
	counting.check_state(change, status);
	counting.device.stop(counting.profile);
	need_that(same_after_a_while(elsewhere.at(), kept), "the page is not written at its new address");
	need_that(!change.readable || same_after_a_while(counters.at(), kept),
		  "the page is not written at its old address");
}

} // namespace

TEST_CASE_METHOD(AtRest, "memory that goes away during ticks is not written after the next status", "[race]")
{
	const Device device;
	const Burner burner;
	std::atomic<bool> done = false;

	burner.plant_loop(text);
	const Burners others(text);
	std::thread asker([&] {
		while (!done)
			device.status();
	});
	for (const Change &change : changes) {
		CAPTURE(change.name);
		for (unsigned i = 0; i < rounds(6); i++) {
			const LonePage counters;
			const auto at = counters.at();
			auto how = describe(one_counter(text, text + CODE_LOOP_RETURN, at, i % 2 ? 4 : 8));

			if (i % 3 == 0)
				how = describe_samples(at, page / 8, 8, period_nobody);
			device.start(how);
			CHECK_NOTHROW(strike(change, {device, 0}, counters));
		}
	}
	done = true;
	asker.join();
}

TEST_CASE_METHOD(AtRest, "a table that goes away is not written after the next status of its recording",
		 "[race]")
{
	const Device device;
	const Burner burner;

	burner.plant_loop(text);
	const Child target = burning_child(text, 2);
	const Fd proof = proof_of(target.pid());
	for (const Change &change : changes) {
		CAPTURE(change.name);
		for (unsigned i = 0; i < rounds(12); i++) {
			const LonePage counters;
			const auto profile = device.record(
				describe_recording(counters.at(), page, 0, period_10khz), proof.get());

			CHECK_NOTHROW(strike(change, {device, profile}, counters));
		}
	}
}

/* No command asks for the status; the ticks themselves check the memory while it keeps changing. */
TEST_CASE_METHOD(AtRest, "memory that keeps changing loses only the counts in dropped pages", "[race]")
{
	const Device device;
	const Burner burner;
	const Memory counters(3 * page), kept(page);
	std::vector<profil_region> regions;

	burner.plant_loop(text);
	burner.plant_loop(text + 64);
	regions.push_back(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8));
	regions.push_back(one_counter(text + 64, text + 64 + CODE_LOOP_RETURN, counters.at(2 * page), 8));
	device.start(describe(regions));
	const volatile uint64_t *stays = counters.at<uint64_t>(2 * page);
	for (unsigned i = 0; i < rounds(400); i++) {
		madvise(counters.at(), page, MADV_DONTNEED);
		mprotect(counters.at(), 2 * page, PROT_READ);
		mprotect(counters.at(), 2 * page, PROT_READ | PROT_WRITE);
		if (i % 16 == 0)
			in_child([] { return 0; });
		Burner::spin(text, 20'000);
		Burner::spin(text + 64, 20'000);
	}
	const auto status = device.status();
	device.stop();
	/* No tick needed the memory while it was read-only. */
	CHECK(status.state == PROFIL_STATE_RUNNING);
	CHECK(*stays > 0);
	CHECK(status.counted >= counter<uint64_t>(counters) + *stays);
}
