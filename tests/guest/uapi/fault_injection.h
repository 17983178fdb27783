// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/uapi/fault_injection.h  The profile that the tests of failing commands use. */
#pragma once

#include "tests/guest/record/support.h"
#include "tests/guest/support/burner.h"
#include "tests/guest/support/faults.h"

#include <sys/mman.h>
#include <vector>

namespace guest {

constexpr size_t page = 4096;
const uintptr_t text = Burner::usual;

/** A profile with private, shared and overflow counters, in memory that is not populated yet. */
struct Description {
	Memory counters{8 * page}, others{4 * page, MAP_SHARED}, overflow{page};
	std::vector<profil_region> regions;

	Description()
	{
		for (uintptr_t i = 0; i < 8; i++)
			regions.push_back(one_counter(text + 16 * i, text + 16 * i + CODE_LOOP_RETURN,
						      counters.at(i * page)));
		regions.push_back(each_address(text + 0x400, text + 0x800, others.at(page)));
	}

	profil_start how(uint64_t period = 1'000'000) const
	{
		auto how = describe(regions, period);

		how.overflow = overflow.address();
		how.overflow_width = 8;
		how.flags = PROFIL_FOLLOW;
		return how;
	}
};

} // namespace guest
