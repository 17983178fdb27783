// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/cpu/counts.h  The samples of a profile, by text and offset. */
#pragma once

#include "libprofil/cpu/text.h"
#include "libprofil/growing.h"

#include <cstdint>
#include <linux/profil_record.h>

namespace libprofil {

/** An instruction and its samples. */
struct Place {
	uint64_t key; /**< Counts::text_of() and offset_of(); 0: not in use */
	uint64_t count;
};

/** Counts by text and offset: a hash table with open addressing, at most half full. */
class Counts {
public:
	[[nodiscard]] static uint32_t text_of(const Place &place)
	{
		return static_cast<uint32_t>(place.key >> PROFIL_COUNT_SHIFT) - 1;
	}
	[[nodiscard]] static uint64_t offset_of(const Place &place)
	{
		return place.key & ((uint64_t{1} << PROFIL_COUNT_SHIFT) - 1);
	}

	/** Make room for so many more places, after which add() cannot fail.  False without memory. */
	[[nodiscard]] bool reserve(size_t more);
	/** Add samples to a place, for which there is room. */
	void add(uint32_t text, uint64_t offset, uint64_t count);
	void clear();

	/** All elements, also those not in use. */
	[[nodiscard]] const Growing<Place> &all() const { return places_; }

private:
	void put(const Place &place);

	Growing<Place> places_; /* their number is 0 or a power of two */
	size_t nr_ = 0;
};

} // namespace libprofil
