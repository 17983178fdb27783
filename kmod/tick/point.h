/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where in its cell the lazy clock ticks: pure arithmetic.
 *
 * Compiled into the module, and into a host test that each task gets its share.  Nothing
 * here touches memory.
 *
 * Context: hard interrupt
 */
#ifndef PROFIL_POINT_H
#define PROFIL_POINT_H

#include <linux/types.h>

#define PROFIL_POINT_BITS	22
#define PROFIL_POINT_SHIFT	(64 - PROFIL_POINT_BITS)

/* How many successive cells share a secret. */
#define PROFIL_CELLS_PER_SECRET	64

/**
 * profil_point() - the point of a cell
 * @cell: where it begins, in ns
 * @period: its length, in ns; at most 2^PROFIL_POINT_SHIFT
 * @secret: pseudo-random, and for a few cells only
 *
 * Two rounds of multiplication mix all bits.  This is not a pseudo-random function, but it is
 * seeded by one for a few cells only: by the time a program has learnt the secret from the
 * points that it sees, the secret is of no more use.
 *
 * A cell has 2^22 places for its point, so that the product with the longest period fits.
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
