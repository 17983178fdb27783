// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/uapi/memory_lost.cpp  Counters whose memory is unmapped, protected or dropped
 * while they are in use.
 */
#include "tests/guest/uapi/memory_kinds.h"
#include "tests/support/catch.h"

using namespace guest;

namespace {

struct Disaster {
	const char *name;
	void (*strike)(const Place &place);
	bool is_hole = true; /* else other memory is there now */
};

const Disaster disasters[] = {
	{"munmap", [](const Place &p) { need(munmap(p.start(), p.unit), "munmap"); }},
	{"mprotect", [](const Place &p) { need(mprotect(p.start(), p.unit, PROT_READ), "mprotect"); }},
	{"mremap",
	 [](const Place &p) {
		 /* A free address that is a multiple of the unit. */
		 auto *to = reinterpret_cast<void *>(uintptr_t{0x20000000});
		 need_that(mremap(p.start(), p.unit, p.unit, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to,
			   "mremap");
		 need(munmap(to, p.unit), "munmap");
	 }},
	{"another mapping",
	 [](const Place &p) {
		 const Fd file = memfd();
		 need(ftruncate(file.get(), static_cast<off_t>(p.unit)), "ftruncate");
		 Memory other(p.start(), p.unit, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file.get());
		 other.forget();
	 },
	 false},
};

} // namespace

TEST_CASE_METHOD(AtRest, "a profile counts in every kind of memory, and only in what is mapped there now",
		 "[uapi][buffer]")
{
	const Device device;
	const Burner burner;
	const HugePages pages;

	for (const Kind &kind : kinds)
		for (const Disaster &disaster : disasters) {
			const Place place = kind.make();

			CAPTURE(kind.name, disaster.name);
			device.start(describe(region_on(place.counter)));
			check_counts_on(device, burner, place.counter);
			disaster.strike(place);
			const auto status = device.status();
			CHECK(status.pinned == 0);
			CHECK(locked_bytes() == 0);
			if (disaster.is_hole)
				CHECK(status_at_hole(device, burner).counted == status.counted);
			else
				check_counts_on(device, burner, place.counter);
			device.stop();
		}
}

TEST_CASE_METHOD(AtRest, "a counter dropped from any kind of memory goes on in its new page",
		 "[uapi][buffer]")
{
	const Device device;
	const Burner burner;
	const HugePages pages;

	for (const Kind &kind : kinds)
		for (const int advice : {MADV_DONTNEED, MADV_REMOVE, MADV_PAGEOUT, MADV_COLD, MADV_FREE}) {
			const Place place = kind.make();

			CAPTURE(kind.name, advice);
			device.start(describe(region_on(place.counter)));
			check_counts_on(device, burner, place.counter);
			madvise(place.start(), place.unit, advice); /* some do not apply to this kind */
			CHECK(device.status().state == PROFIL_STATE_RUNNING);
			check_counts_on(device, burner, place.counter);
			CHECK(device.status().pinned == page);
			device.stop();
		}
}

TEST_CASE_METHOD(AtRest, "a change of the memory takes effect within 100 ms of CPU time",
		 "[uapi][buffer][icount]")
{
	constexpr size_t block = page;
	const Device device;
	const Burner burner;
	const auto burn = [&](uint64_t ns) {
		const auto end = thread_ns() + ns;
		while (thread_ns() < end)
			Burner::spin(counted_text, 10 * slowness());
	};

	burner.plant_block(counted_text, block);
	for (const uint64_t period : {period_10khz, uint64_t{10'000'000}}) {
		for (const Disaster &disaster : disasters) {
			const Place place = anonymous();

			CAPTURE(disaster.name, period);
			device.start(describe(one_counter(counted_text, counted_text + block,
							  const_cast<uint64_t *>(place.counter), 8),
					      period));
			/* Occasionally all five ticks are in the kernel. */
			int tries = 20;
			do
				burn(50'000'000);
			while (*place.counter == 0 && --tries);
			CHECK(*place.counter > 0);
			CHECK(locked_bytes() == page);
			disaster.strike(place);
			burn(100'000'000);
			if (disaster.is_hole) {
				CHECK(locked_bytes() == 0);
				CHECK(module_stat("pinned_pages") == pages());
				CHECK(device.status().state == PROFIL_STATE_FAULT);
			} else {
				CHECK(*place.counter > 0);
				CHECK(device.status().state == PROFIL_STATE_RUNNING);
			}
			device.stop();
		}
		const Place place = anonymous();
		CAPTURE(period);
		device.start(describe(one_counter(counted_text, counted_text + block,
						  const_cast<uint64_t *>(place.counter), 8),
				      period));
		burn(20'000'000);
		need(madvise(place.start(), page, MADV_DONTNEED), "MADV_DONTNEED");
		burn(100'000'000);
		const auto then = *place.counter;
		burn(30'000'000);
		CHECK(*place.counter > then);
		CHECK(device.status().state == PROFIL_STATE_RUNNING);
		device.stop();
	}
}
