// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/uapi/faults.cpp  Counters whose memory is lost while a profile uses it. */
#include "tests/guest/support/burner.h"
#include "tests/guest/support/device.h"
#include "tests/guest/support/places.h"
#include "tests/support/catch.h"

#include <algorithm>
#include <sys/mman.h>
#include <unistd.h>

using namespace guest;

namespace {

constexpr size_t page = 4096;
const uintptr_t text = Burner::usual;

void *remap(void *at, size_t bytes, int protection = PROT_READ | PROT_WRITE)
{
	return mmap(at, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

struct Disaster {
	const char *name;
	void (*strike)(void *at);
	bool is_hole = true; /* else other memory is there now */
};

const Disaster disasters[] = {
	{"munmap", [](void *at) { munmap(at, page); }},
	{"mprotect to read-only", [](void *at) { mprotect(at, page, PROT_READ); }},
	{"mprotect to nothing", [](void *at) { mprotect(at, page, PROT_NONE); }},
	{"another mapping", [](void *at) { remap(at, page); }, false},
	{"a file",
	 [](void *at) {
		 const Fd file(need(memfd_create("another", MFD_CLOEXEC), "memfd_create"));
		 need(ftruncate(file.get(), page), "ftruncate");
		 mmap(at, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file.get(), 0);
	 },
	 false},
	{"device memory",
	 [](void *at) {
		 munmap(at, page);
		 const Fd event = proof_of(0);
		 mmap(at, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, event.get(), 0);
	 }},
	{"mremap",
	 [](void *at) {
		 /* The destination is unused memory. */
		 static Memory elsewhere(page);
		 mremap(at, page, page, MREMAP_MAYMOVE | MREMAP_FIXED, elsewhere.at());
	 }},
};

profil_start with_overflow(const profil_region &region)
{
	auto how = describe(region);

	how.overflow = region.buffer;
	how.overflow_width = region.width;
	return how;
}

/**
 * A profile for each way in which a tick writes: to a counter, with a limit, into the array of PCs.
 */
profil_start plain(const profil_region &region)
{
	return describe(region);
}

profil_start saturating(const profil_region &region)
{
	auto how = with_overflow(region);

	how.limit_policy = PROFIL_SATURATE;
	return how;
}

profil_start pcsample(const profil_region &region)
{
	return describe_samples(reinterpret_cast<void *>(region.buffer), page / 8);
}

/** pcsample() at a rate too slow to fill the array before a tick has checked the memory. */
profil_start slow_pcsample(const profil_region &region)
{
	return describe_samples(reinterpret_cast<void *>(region.buffer), page / 8, 8, 1'000'000);
}

} // namespace

TEST_CASE_METHOD(AtRest, "the first tick after its memory is gone turns a profile off", "[uapi][fault]")
{
	const Device device;
	const Burner burner;
	const ClockKeeper keeper;

	for (const auto kind : {plain, saturating, pcsample})
		for (const Disaster &disaster : disasters) {
			const LonePage counters;
			const auto region = one_counter(text, text + CODE_LOOP_RETURN, counters.at());
			const auto how = kind(region);

			CAPTURE(disaster.name, kind == plain, kind == pcsample);
			device.start(how);
			burn_ticks(device, burner, text, 3);
			CHECK(locked_bytes() == page);
			disaster.strike(counters.at());
			const auto status = device.status();
			CHECK(status.pinned == 0);
			if (disaster.is_hole) {
				CHECK(locked_bytes() == 0);
				burn_ticks(device, burner, text, 3, &profil_status::off);
				CHECK(device.status().counted == status.counted);
				CHECK(device.status().state == PROFIL_STATE_FAULT);
			} else {
				burn_ticks(device, burner, text, 3);
				CHECK(device.status().pinned == page);
			}
			device.stop();
		}
}

TEST_CASE_METHOD(AtRest, "ticks find that the memory is gone without a status call", "[uapi][fault]")
{
	const Device device;
	const Burner burner;

	for (const auto kind : {plain, saturating, slow_pcsample}) {
		const Memory counters(page);
		const auto region = one_counter(text, text + CODE_LOOP_RETURN, counters.at());

		CAPTURE(kind == plain, kind == slow_pcsample);
		device.start(kind(region));
		burner.burn_until(text, [] { return locked_bytes() == page; });
		munmap(counters.at(), page);
		burner.burn_until(text, [] { return locked_bytes() == 0; });
		burner.burn_until(text, [&] { return device.status().state == PROFIL_STATE_FAULT; });
		device.stop();
	}
}

TEST_CASE_METHOD(AtRest, "counters that have moved do not count any more", "[uapi][fault]")
{
	const ClockKeeper keeper;
	const Device device;
	const Burner burner;
	const Memory from(page), to(page);
	const auto region = one_counter(text, text + CODE_LOOP_RETURN, from.at());

	device.start(describe(region));
	const auto ticks = burn_ticks(device, burner, text, 3);
	mremap(from.at(), page, page, MREMAP_MAYMOVE | MREMAP_FIXED, to.at());
	CHECK(device.status().pinned == 0);
	const auto moved = counter<uint32_t>(to);
	CHECK(moved >= ticks);
	burn_ticks(device, burner, text, 3, &profil_status::off);
	CHECK(device.status().state == PROFIL_STATE_FAULT);
	CHECK(counter<uint32_t>(to) == moved);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "dropped counters go on in their new page", "[uapi][fault]")
{
	const Device device;
	const Burner burner;
	const Memory counters(3 * page);
	const auto region = each_address(text, text + 3 * page / 8, counters.at(), 8);
	/*
	 * One PC for each page of counters; none at a page's end, where the loop's return would
	 * count in the next page.
	 */
	const uintptr_t pcs[] = {text, text + page / 8 + 4, text + 2 * page / 8 + 4};
	const auto at = [&](uintptr_t pc) { return counter<uint64_t>(counters, pc - text); };

	device.start(describe(region));
	for (const auto pc : pcs)
		burn_ticks(device, burner, pc, 3);
	const auto first = at(pcs[0]), last = at(pcs[2]);
	madvise(counters.at(page), page, MADV_DONTNEED);
	CHECK(device.status().state == PROFIL_STATE_RUNNING);
	CHECK(at(pcs[1]) == 0);
	const auto ticks = burn_ticks(device, burner, pcs[1], 3);
	CHECK(at(pcs[1]) + at(pcs[1] + CODE_LOOP_RETURN) == ticks); /* the loop and its return */
	CHECK(at(pcs[0]) == first);
	CHECK(at(pcs[2]) == last);
	CHECK(device.status().pinned == 3 * page);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "dropped counters go on in the end without a status call", "[uapi][fault]")
{
	const Device device;
	const Burner burner;
	const Memory counters(page);

	for (const uint8_t width : {4, 8}) {
		device.start(describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), width)));
		burner.burn(text, 2'000'000);
		madvise(counters.at(), page, MADV_DONTNEED);
		burner.burn_until(text, [&] { return counter<uint32_t>(counters) >= 3; });
		CHECK(device.status().state == PROFIL_STATE_RUNNING);
		device.stop();
	}
}

TEST_CASE_METHOD(AtRest, "a shared file that shrinks turns the profile off, a hole in it does not",
		 "[uapi][fault]")
{
	const Device device;
	const Burner burner;
	const Fd file(need(memfd_create("counters", MFD_CLOEXEC), "memfd_create"));

	need(ftruncate(file.get(), page), "ftruncate");
	const Memory counters(page, MAP_SHARED, file.get());
	device.start(describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 4)));
	burn_ticks(device, burner, text, 3);

	need(fallocate(file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, page), "fallocate");
	CHECK(device.status().state == PROFIL_STATE_RUNNING);
	CHECK(counter<uint32_t>(counters) == 0);
	const auto ticks = burn_ticks(device, burner, text, 3);
	CHECK(counter<uint32_t>(counters) == ticks);

	need(ftruncate(file.get(), 0), "ftruncate");
	burn_ticks(device, burner, text, 3, &profil_status::off);
	CHECK(device.status().state == PROFIL_STATE_FAULT);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "with PROFIL_FAULT_REGION the other regions go on", "[uapi][fault]")
{
	const Device device;
	const Burner burner;
	const Memory gone(page), stays(page);
	const std::vector<profil_region> regions = {
		one_counter(text, text + CODE_LOOP_RETURN, gone.at(), 4),
		one_counter(text + 64, text + 64 + CODE_LOOP_RETURN, stays.at(), 4)};
	auto how = describe(regions);

	how.flags = PROFIL_FAULT_REGION;
	device.start(how);
	burn_ticks(device, burner, text, 3);
	CHECK(device.status().pinned == page);
	mprotect(gone.at(), page, PROT_READ);
	const auto status = device.status();
	CHECK(status.state == PROFIL_STATE_RUNNING);
	CHECK(status.pinned == 0);

	const auto lost = counter<uint32_t>(gone);
	burn_ticks(device, burner, text, 3, &profil_status::off);
	CHECK(counter<uint32_t>(gone) == lost);
	const auto ticks = burn_ticks(device, burner, text + 64, 3);
	CHECK(counter<uint32_t>(stays) == ticks);

	/* A region that is off stays off until the profile is started again. */
	mprotect(gone.at(), page, PROT_READ | PROT_WRITE);
	burn_ticks(device, burner, text, 3, &profil_status::off);
	device.start(how);
	const auto again = burn_ticks(device, burner, text, 3);
	CHECK(counter<uint32_t>(gone) == lost + again);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "memory that is changed and restored is no fault", "[uapi][fault]")
{
	const Device device;
	const Burner burner;
	const Memory counters(4 * page);

	device.start(describe(each_address(text, text + 1024, counters.at(page), 8)));
	burn_ticks(device, burner, text, 3);
	/* The mapping is split and joined, advised, protected and released again. */
	mprotect(counters.at(page), page, PROT_READ);
	mprotect(counters.at(page), page, PROT_READ | PROT_WRITE);
	CHECK(device.status().state == PROFIL_STATE_RUNNING);
	mprotect(counters.at(), page, PROT_READ);
	madvise(counters.at(page), page, MADV_DONTFORK);
	madvise(counters.at(page), page, MADV_HUGEPAGE);
	CHECK(device.status().state == PROFIL_STATE_RUNNING);
	in_child([] { return 0; });
	mprotect(counters.at(3 * page), page, PROT_READ);
	CHECK(device.status().state == PROFIL_STATE_RUNNING);
	const auto loop_and_return = [&] {
		return counter<uint64_t>(counters, page / 8) + counter<uint64_t>(counters, page / 8 + 2);
	};
	const auto before = loop_and_return();
	const auto ticks = burn_ticks(device, burner, text, 3);
	CHECK(loop_and_return() == before + ticks);
	device.stop();
}

TEST_CASE_METHOD(AtRest, "memory may be freed as soon as the profile has stopped", "[uapi][fault]")
{
	const Device device;
	const Burner burner;

	for (int i = 0; i < 50; i++) {
		const Memory counters(page);
		device.start(describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 4)));
		burner.burn(text, 300'000);
		device.stop();
		const auto last = counter<uint32_t>(counters);
		burner.burn(text, 300'000);
		CHECK(counter<uint32_t>(counters) == last);
		munmap(counters.at(), page);
		/* The same pages may be other memory now. */
		const Memory other(page);
		CHECK(sum_counters<uint64_t>(other) == 0);
	}
}
