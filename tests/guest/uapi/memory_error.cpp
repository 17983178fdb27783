// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/uapi/memory_error.cpp  Counters in memory for which the hardware reports an
 * error, which madvise(2) can simulate.
 */
#include "tests/guest/uapi/memory_kinds.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <iterator>
#include <vector>

using namespace guest;

namespace {

constexpr uintptr_t other_text = counted_text + 0x1000;

sigjmp_buf back;
volatile sig_atomic_t code;

/** The si_code of the SIGBUS that a function raises, or 0. */
template <typename F> int bus_error(F run)
{
	struct sigaction action = {}, before;

	action.sa_flags = SA_SIGINFO;
	action.sa_sigaction = [](int, siginfo_t *info, void *) {
		code = info->si_code;
		siglongjmp(back, 1);
	};
	need(sigaction(SIGBUS, &action, &before), "sigaction");
	code = 0;
	if (!sigsetjmp(back, 1))
		run();
	need(sigaction(SIGBUS, &before, nullptr), "sigaction");
	return code;
}

void need_memory_errors()
{
	const Memory memory(page);

	if (madvise(memory.at(), 0, MADV_HWPOISON) && errno == EINVAL)
		support::skip("this kernel cannot pretend a memory error (CONFIG_MEMORY_FAILURE)");
}

/**
 * Simulate a hardware error in a page.  The kernel tells the program at once, or when it touches
 * the page.  EBUSY means that the kernel has noted the error, but the page is still pinned.
 */
void strike(const volatile uint64_t *counter)
{
	bus_error([&] {
		if (madvise(const_cast<uint64_t *>(counter), 1, MADV_HWPOISON) && errno != EBUSY)
			need(-1, "MADV_HWPOISON");
	});
}

/**
 * The kernel unmaps a page that has an error, unless it is part of a transparent huge page, which
 * cannot be split as long as any of it is pinned.
 */
bool is_unmapped(const Kind &kind)
{
	return kind.make != transparent_huge || !kernel_has_huge_pages();
}

profil_region region_elsewhere(const volatile void *counter)
{
	return one_counter(other_text, other_text + CODE_LOOP_RETURN, const_cast<const void *>(counter), 8);
}

/**
 * Excludes huge pages: hugetlbfs keeps a page with an error in its pool, and Linux 6.1 reuses a
 * transparent huge page of which a part has an error.
 */
std::vector<Kind> kinds_of_small_pages()
{
	std::vector<Kind> some(std::begin(kinds), std::end(kinds));

	std::erase_if(some, [](const Kind &kind) {
		return kind.make == shared_huge || kind.make == transparent_huge;
	});
	return some;
}

void check_region_is_off(const Device &device, const Burner &burner, const Kind &kind)
{
	const Place place = kind.make();
	const LonePage healthy;
	const profil_region regions[] = {region_on(healthy.at()), region_elsewhere(place.counter)};
	auto how = describe(regions);

	CAPTURE(kind.name);
	how.flags |= PROFIL_FAULT_REGION;
	device.start(how);
	burn_ticks(device, burner, other_text, 3);
	check_counts_on(device, burner, static_cast<volatile uint64_t *>(healthy.at()));
	strike(place.counter);
	const auto status = device.status();
	CHECK(status.state == PROFIL_STATE_RUNNING);
	CHECK(status.pinned == page);
	CHECK(locked_bytes() == page);
	burn_ticks(device, burner, other_text, 3, &profil_status::off);
	CHECK(device.status().counted == status.counted);
	check_counts_on(device, burner, static_cast<volatile uint64_t *>(healthy.at()));
	if (is_unmapped(kind))
		CHECK(bus_error([&] { (void)*place.counter; }) == BUS_MCEERR_AR);
	device.start(describe(region_on(place.counter)));
	burner.burn_until(counted_text, [&] { return device.status().state == PROFIL_STATE_FAULT; });
	CHECK(device.status().counted == 0);
	device.stop();
}

} // namespace

TEST_CASE_METHOD(AtRest, "a region with a memory error is off and the other regions count on",
		 "[uapi][buffer][memory-error]")
{
	need_memory_errors();
	const Device device;
	const Burner burner;

	for (const Kind &kind : kinds_of_small_pages())
		check_region_is_off(device, burner, kind);
}

TEST_CASE_METHOD(AtRest, "a region with a memory error in a huge page is off and the others count on",
		 "[uapi][buffer][memory-error][last]")
{
	need_memory_errors();
	const Device device;
	const Burner burner;
	const HugePages pages;

	for (const Kind &kind : kinds)
		if (kind.make == transparent_huge || kind.make == shared_huge)
			check_region_is_off(device, burner, kind);
}

TEST_CASE_METHOD(AtRest, "a gate with a memory error in a huge page is lost, and its page unpinned once",
		 "[uapi][gate][memory-error][last]")
{
	need_memory_errors();
	const Device device;
	const Burner burner;
	const Place place = transparent_huge();
	const LonePage healthy;
	auto how = describe(region_on(healthy.at()));

	how.gate = reinterpret_cast<uint64_t>(place.counter);
	device.start(how);
	check_counts_on(device, burner, static_cast<volatile uint64_t *>(healthy.at()));
	strike(place.counter);
	/* A pin adds 1,024 to a page's references, so a few unpins too many would free the page. */
	CHECK(device.status().state != PROFIL_STATE_LIMIT); /* checks the memory */
	for (int i = 0; i < 5; i++) {
		CHECK(device.status().state != PROFIL_STATE_RUNNING);
		CHECK(device.call(PROFIL_START, &how) == EFAULT);
	}
	CHECK(locked_bytes() == 0);
}

TEST_CASE_METHOD(AtRest, "ticks find a memory error without a status call", "[uapi][buffer][memory-error]")
{
	need_memory_errors();
	const Device device;
	const Burner burner;
	const ClockKeeper keeper;

	for (const Kind &kind : kinds_of_small_pages()) {
		const Place place = kind.make();

		CAPTURE(kind.name);
		device.start(describe(region_on(place.counter)));
		check_counts_on(device, burner, place.counter);
		CHECK(locked_bytes() == page);
		strike(place.counter);
		burner.burn_until(counted_text, [] { return locked_bytes() == 0; });
		const auto status = status_at_hole(device, burner);
		CHECK(status.pinned == 0);
		burn_ticks(device, burner, counted_text, 3, &profil_status::off);
		CHECK(device.status().counted == status.counted);
		device.stop();
	}
}

TEST_CASE_METHOD(AtRest, "a page with a memory error is not pinned again", "[uapi][late][memory-error]")
{
	need_memory_errors();
	const Device device;
	const Burner burner;
	const ClockKeeper keeper;

	for (const Kind &kind : kinds_of_small_pages()) {
		const Place place = kind.make();

		CAPTURE(kind.name);
		device.start(describe(region_on(place.counter)));
		check_counts_on(device, burner, place.counter);
		strike(place.counter);
		const auto status = device.status();
		CHECK(status.pinned == 0);
		burn_ticks(device, burner, counted_text, 3, &profil_status::off);
		CHECK(device.status().state == PROFIL_STATE_FAULT);
		CHECK(device.status().counted == status.counted);
		device.stop();
	}
}

TEST_CASE_METHOD(AtRest, "a recording is off at the next status after a memory error in its table",
		 "[record][buffer][memory-error]")
{
	need_memory_errors();
	const Device device;
	const Burner burner;

	burner.plant_loop(counted_text);
	const Child target([] {
		for (;;)
			Burner::spin(counted_text, 1000);
	});
	const Fd proof = proof_of(target.pid());
	for (const Kind &kind : kinds_of_small_pages()) {
		const Place place = kind.make();
		const auto table = describe_recording(place.start(), page, PROFIL_FOLLOW, period_10khz);

		CAPTURE(kind.name);
		const uint32_t recording = device.record(table, proof.get());
		need_that(soon([&] { return device.status(recording).counted > 0; }), "it counts");
		strike(place.counter);
		const auto status = device.status(recording);
		CHECK(status.state == PROFIL_STATE_FAULT);
		CHECK(status.pinned == 0);
		CHECK(device.status(recording).counted == status.counted);
		device.stop(recording);
	}
}
