// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/support/places.h  Memory that may, or may not, hold counters. */
#pragma once

#include "tests/guest/support/burner.h"
#include "tests/guest/support/device.h"
#include "tests/support/catch.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <sys/mman.h>

namespace guest {

/** The text whose ticks all go to one counter. */
constexpr uintptr_t counted_text = Burner::usual;

inline profil_region region_on(const volatile void *counter, uint8_t width = 8)
{
	return one_counter(counted_text, counted_text + CODE_LOOP_RETURN, const_cast<const void *>(counter),
			   width);
}

/** Check that the counter gets every tick, and that the program sees them. */
inline void check_counts_on(const Device &device, const Burner &burner, const volatile uint64_t *place)
{
	const auto before = *place;
	const auto ticks = burn_ticks(device, burner, counted_text, 3);

	CHECK(*place == before + ticks);
}

inline void check_counts_in(const Device &device, const Burner &burner, volatile uint64_t *place)
{
	device.start(describe(region_on(place)));
	check_counts_on(device, burner, place);
	device.stop();
}

inline void check_counts_in(volatile uint64_t *place)
{
	check_counts_in(Device(), Burner(), place);
}

/** Spin until a tick has needed memory in which it cannot count. */
inline profil_status status_at_hole(const Device &device, const Burner &burner)
{
	burner.burn_until(counted_text, [&] { return device.status().state == PROFIL_STATE_FAULT; });
	return device.status();
}

/** Check that the first tick of a self profile turns it off. */
inline void check_off(const profil_start &how)
{
	const ClockKeeper ticking;
	const Device device;
	const Burner burner;

	device.start(how);
	const auto status = status_at_hole(device, burner);
	CHECK(status.counted == 0);
	CHECK(status.off > 0);
	CHECK(status.pinned == 0);
	device.stop();
}

inline void check_off_in(const volatile void *counter)
{
	check_off(describe(region_on(counter)));
}

inline void check_counts_in(const Memory &memory, size_t offset = 0)
{
	check_counts_in(memory.at<volatile uint64_t>(offset));
}

/** True if the kernel has transparent huge pages.  A real-time kernel does not. */
inline bool kernel_has_huge_pages()
{
	return std::filesystem::exists("/sys/kernel/mm/transparent_hugepage");
}

/**
 * Enable transparent huge pages everywhere, while the result lives.  Returns null if the kernel has
 * none: then all pages are small.
 */
inline std::unique_ptr<Setting> always_huge_pages()
{
	if (!kernel_has_huge_pages())
		return nullptr;
	return std::make_unique<Setting>("/sys/kernel/mm/transparent_hugepage/enabled", "always");
}

/**
 * A page between two inaccessible ones, so that a later mapping there does not merge with a
 * neighbour and become part of an earlier mapping.
 */
struct LonePage {
	static constexpr size_t page = 4096;
	Memory three{3 * page};

	LonePage()
	{
		mprotect(three.at(), page, PROT_NONE);
		mprotect(three.at(2 * page), page, PROT_NONE);
	}
	void *at() const { return three.at(page); }
};

} // namespace guest
