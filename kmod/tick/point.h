/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The point at which the lazy clock ticks in each cell of its time grid: pure arithmetic.
 *
 * Compiled into the module, and into a host test which checks that each task gets its share.
 * Nothing here touches memory.
 *
 * Context: hard interrupt
 */
#ifndef PROFIL_POINT_H
#define PROFIL_POINT_H

#include <linux/types.h>

#define PROFIL_POINT_BITS	22
#define PROFIL_POINT_SHIFT	(64 - PROFIL_POINT_BITS)

/* The number of successive cells of the grid that share a secret. */
#define PROFIL_CELLS_PER_SECRET	64

/**
 * profil_point() - compute the point of a cell of the grid
 * @cell: start of the cell, in ns
 * @period: length of the cell, in ns; at most 2^PROFIL_POINT_SHIFT
 * @secret: a pseudo-random number, used for a few cells only
 *
 * Two rounds of multiplication mix all bits.  This is not a pseudo-random function, but it is
 * seeded by one for a few cells only: by the time a program has learnt the secret from the
 * points that it sees, the secret is of no more use.
 *
 * A cell has 2^22 places for its point, so that the product with the longest period fits into
 * 64 bits.
 *
 * Context: Any.
 * Return: the point, in ns.
 */
static __always_inline __u64 profil_point(__u64 cell, __u64 period, __u64 secret)
{
	__u64 hash = (cell ^ secret) * 0x9e3779b97f4a7c15ULL;

	hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93ULL;
	return cell + (period * (hash >> PROFIL_POINT_SHIFT) >> PROFIL_POINT_BITS);
}

#endif /* PROFIL_POINT_H */
