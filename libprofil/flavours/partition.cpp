// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/flavours/partition.h"

#include "kmod/memory/bin.h"
#include "libprofil/scratch.h"

#include <algorithm>
#include <cerrno>

namespace libprofil {

static bool covers(const profil_region &region, uint64_t pc)
{
	return region.low <= pc && pc < region.high;
}

static const profil_region *winner_at(const profil_region *from, size_t nr, Winner winner, uint64_t pc)
{
	const profil_region *best = nullptr;

	for (size_t i = 0; i < nr; i++) {
		if (!covers(from[i], pc))
			continue;
		if (winner == Winner::first)
			return from + i;
		if (!best || from[i].offset > best->offset)
			best = from + i;
	}
	return best;
}

int partition(const profil_region *from, size_t nr, Winner winner, Extent extent, profil_region *to,
	      size_t &made)
{
	const Scratch<profil_region> clipped(nr);
	const Scratch<uint64_t> edges(2 * nr);
	const profil_region *previous = nullptr;

	if (!clipped || !edges)
		return ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		clipped[i] = from[i];
		if (extent == Extent::clipped)
			clipped[i].high = profil_bin_clip(from + i);
		edges[2 * i] = clipped[i].low;
		edges[2 * i + 1] = clipped[i].high;
	}
	std::sort(edges.get(), edges.get() + 2 * nr);

	made = 0;
	for (size_t i = 0; i + 1 < 2 * nr; i++) {
		if (edges[i] == edges[i + 1])
			continue;
		const profil_region *best = winner_at(clipped.get(), nr, winner, edges[i]);
		if (best && best == previous && to[made - 1].high == edges[i]) {
			to[made - 1].high = edges[i + 1];
		} else if (best) {
			to[made] = *best;
			to[made].low = edges[i];
			to[made++].high = edges[i + 1];
		}
		previous = best;
	}
	return 0;
}

} // namespace libprofil
