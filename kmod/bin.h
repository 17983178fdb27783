/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * From a program counter to the index of its counter: pure arithmetic.
 *
 * Compiled into the module, where it runs in hard interrupt context, into
 * libprofil, and into the host tests, which hold it against 128-bit arithmetic
 * and the flavours' vectors.  Nothing here touches memory.
 */
#ifndef PROFIL_BIN_H
#define PROFIL_BIN_H

#include <linux/profil.h>
#include <linux/types.h>

/* Bounds under which profil_bin_clip() cannot overflow 64 bits. */
#define PROFIL_BIN_BYTES_MAX	(1ULL << 36)
#define PROFIL_BIN_SHIFT_MAX	3

/**
 * profil_bin_valid() - may the module compute with this region?
 * @r: a region from user space
 *
 * Says nothing about the buffer's address or about other regions.
 *
 * Context: Any.
 * Return: 1 if every value is within the documented limits, else 0.
 */
static inline int profil_bin_valid(const struct profil_region *r)
{
	if (r->width != 2 && r->width != 4 && r->width != 8)
		return 0;
	if (r->pre > PROFIL_BIN_SHIFT_MAX || r->post > PROFIL_BIN_SHIFT_MAX || r->bias > 1)
		return 0;
	if (r->bytes > PROFIL_BIN_BYTES_MAX || r->bytes % r->width)
		return 0;
	return r->low < r->high && r->offset <= r->low;
}

/**
 * profil_bin_index() - index of the counter of a PC
 * @r: a region that is valid
 * @pc: at or above the region's offset
 *
 * The product has up to 96 bits.  For a PC below profil_bin_clip() the index
 * is exact; above it the upper bits may be cut off.
 *
 * Context: Any.
 * Return: the index, in counters.
 */
static inline __u64 profil_bin_index(const struct profil_region *r, __u64 pc)
{
	unsigned __int128 product = (unsigned __int128)((pc - r->offset) >> r->pre) * r->scale;

	return ((__u64)(product >> 16) + r->bias) >> r->post;
}

/**
 * profil_bin_clip() - where a region's counters end
 * @r: a region that is valid
 *
 * The index grows with the PC, so the PCs that have a counter inside the
 * buffer are those below one limit.  With n counters it is the smallest pc for
 * which ((d >> pre) * scale) >> 16 reaches (n << post) - bias.
 *
 * Context: Any.
 * Return: the first PC in [low, high] that has none; low if no PC has one.
 */
static inline __u64 profil_bin_clip(const struct profil_region *r)
{
	__u64 room = ((r->bytes / r->width) << r->post);
	__u64 steps, distance;

	if (room <= r->bias)
		return r->low;
	if (!r->scale)
		return r->high;
	room -= r->bias;
	steps = ((room << 16) + r->scale - 1) / r->scale;
	distance = steps << r->pre;
	if (distance <= r->low - r->offset)
		return r->low;
	if (distance >= r->high - r->offset)
		return r->high;
	return r->offset + distance;
}

#endif /* PROFIL_BIN_H */
