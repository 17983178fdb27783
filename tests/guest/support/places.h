// SPDX-License-Identifier: GPL-2.0-or-later
// Memory in which counters may be, or may not.
#pragma once

#include "tests/guest/support/burner.h"
#include "tests/guest/support/device.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <sys/mman.h>

namespace guest {

// The text of which one counter takes every tick.
constexpr uintptr_t counted_text = Burner::usual;

inline profil_region region_on(const volatile void *counter, uint8_t width = 8)
{
	return one_counter(counted_text, counted_text + CODE_LOOP_RETURN, const_cast<const void *>(counter),
			   width);
}

// 0 or why a profile cannot have its counter there.
inline int start_on(const volatile void *counter)
{
	const Device device;
	auto how = describe(region_on(counter));

	return device.call(PROFIL_START, &how);
}

// So many ticks are in the counter, and the program sees them there.
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

inline void check_counts_in(const Memory &memory, size_t offset = 0)
{
	check_counts_in(memory.at<volatile uint64_t>(offset));
}

// A kernel for real time has no transparent huge pages.
inline bool kernel_has_huge_pages()
{
	return std::filesystem::exists("/sys/kernel/mm/transparent_hugepage");
}

// They are wherever they fit, for as long; where there are none, pages are small.
inline std::unique_ptr<Setting> always_huge_pages()
{
	if (!kernel_has_huge_pages())
		return nullptr;
	return std::make_unique<Setting>("/sys/kernel/mm/transparent_hugepage/enabled", "always");
}

// A page between two that cannot be touched, so that what is mapped there
// later does not join a neighbour and become part of what was there before.
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
