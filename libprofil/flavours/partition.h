// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * @file libprofil/flavours/partition.h
 * Split overlapping regions into disjoint ones, as the module requires.
 */
#pragma once

#include <cstddef>
#include <profil.h>

namespace libprofil {

/** The region that counts a PC which several regions cover. */
enum class Winner {
	largest_offset, /**< if equal, the first one given */
	first		/**< the first one given */
};

/** The part of a region that covers PCs. */
enum class Extent {
	clipped, /**< the part with counters */
	whole	 /**< all of it, even where it has no counters */
};

/**
 * Split regions so that each PC is in at most one of them.
 *
 * @param from regions as given, in any order; valid.
 * @param nr elements of from.
 * @param to receives the parts in ascending order; has room for 2 * nr.
 * @param made receives their number.
 * @return 0, or ENOMEM.
 */
[[nodiscard]] int partition(const profil_region *from, size_t nr, Winner winner, Extent extent,
			    profil_region *to, size_t &made);

} // namespace libprofil
