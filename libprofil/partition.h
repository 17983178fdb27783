// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * @file partition.h
 * From regions that overlap to regions that do not, as the module wants them.
 */
#pragma once

#include <cstddef>
#include <profil.h>

namespace libprofil {

/** Who counts a PC that several regions cover. */
enum class Winner {
	largest_offset, /**< of these the first that was given */
	first		/**< that was given */
};

/** What of a region a PC has to be in. */
enum class Extent {
	clipped, /**< what its buffer covers */
	whole	 /**< from low to high, also where there is no counter for it */
};

/**
 * Cut regions up so that each PC is in one of them.
 *
 * @param from regions as given, in any order; valid.
 * @param nr elements of from.
 * @param to receives them in ascending order: room for 2 * nr.
 * @param made receives their number.
 * @return 0, or ENOMEM.
 */
[[nodiscard]] int partition(const profil_region *from, size_t nr, Winner winner, Extent extent,
			    profil_region *to, size_t &made);

} // namespace libprofil
