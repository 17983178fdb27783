/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * From a program counter to the index of its counter: pure arithmetic.
 *
 * Compiled into the module, where it runs in hard interrupt context, into
 * libprofil, and into the host tests, which compare its results with 128-bit
 * arithmetic and with the flavours' vectors.  Nothing here accesses a counter.
 *
 * Context: any
 */
#ifndef PROFIL_BIN_H
#define PROFIL_BIN_H

#include <linux/profil.h>
#include <linux/types.h>

/* Bounds under which profil_bin_clip() cannot overflow 64 bits. */
#define PROFIL_BIN_BYTES_MAX	0x1000000000ULL
#define PROFIL_BIN_SHIFT_MAX	3

/**
 * profil_bin_width_valid() - may counters have this width?
 * @width: the width, in bytes
 *
 * Context: Any.
 * Return: 1 for 16, 32 and 64 bits, else 0.
 */
static inline int profil_bin_width_valid(__u32 width)
{
	return width == 2 || width == 4 || width == 8;
}

/**
 * profil_bin_valid() - is a region within the documented limits?
 * @r: a region from user space
 *
 * Checks neither the buffer's address nor whether regions overlap.
 *
 * Context: Any.
 * Return: 1 if every value is within its limits, else 0.
 */
static inline int profil_bin_valid(const struct profil_region *r)
{
	if (!profil_bin_width_valid(r->width))
		return 0;
	if (r->pre > PROFIL_BIN_SHIFT_MAX || r->post > PROFIL_BIN_SHIFT_MAX || r->bias > 1)
		return 0;
	if (r->bytes > PROFIL_BIN_BYTES_MAX || r->bytes % r->width)
		return 0;
	return r->low < r->high && r->offset <= r->low;
}

/**
 * profil_bin_product_in_halves() - a distance times a scale, without the low 16 bits
 * @distance: a PC's distance from the region's offset, after the first shift
 * @scale: the region's scale
 *
 * For machines without a 128-bit type: each half of the distance has a product
 * of at most 64 bits, and the product of the upper half has no bits among the
 * 16 that are dropped.
 *
 * Context: Any.
 * Return: the lower 64 bits of (distance * scale) >> 16.
 */
static inline __u64 profil_bin_product_in_halves(__u64 distance, __u32 scale)
{
	return ((distance >> 32) * scale << 16) + ((distance & 0xffffffff) * scale >> 16);
}

/**
 * profil_bin_product() - a distance times a scale, without the low 16 bits
 * @distance: a PC's distance from the region's offset, after the first shift
 * @scale: the region's scale
 *
 * The product has up to 96 bits.
 *
 * Context: Any.
 * Return: the lower 64 bits of (distance * scale) >> 16.
 */
static inline __u64 profil_bin_product(__u64 distance, __u32 scale)
{
#ifdef __SIZEOF_INT128__
	unsigned __int128 product = distance;

	product *= scale;
	return (__u64)(product >> 16);
#else
	return profil_bin_product_in_halves(distance, scale);
#endif
}

/**
 * profil_bin_index() - index of the counter of a PC
 * @r: a valid region
 * @pc: a PC, not below the region's offset
 *
 * The index is exact for a PC below profil_bin_clip(); for others, upper bits
 * may be cut off.
 *
 * Context: Any.
 * Return: the index, in counters.
 */
static inline __u64 profil_bin_index(const struct profil_region *r, __u64 pc)
{
	return (profil_bin_product((pc - r->offset) >> r->pre, r->scale) + r->bias) >> r->post;
}

/**
 * profil_bin_clip() - find the end of the PCs that have a counter
 * @r: a valid region
 *
 * The index never falls as the PC grows, so all PCs that have a counter in the
 * buffer are below one limit.  For n counters, the limit is the smallest PC for
 * which ((d >> pre) * scale) >> 16 reaches (n << post) - bias, where d is the
 * distance of the PC from the offset.
 *
 * Context: Any.
 * Return: the first PC in [low, high] without a counter; low if no PC has one.
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

/**
 * struct profil_bin - a region, prepared for the tick
 * @low: first PC
 * @high: first PC without a counter; the other members are exact only below it
 * @offset: the region's offset, which is subtracted from the PC
 * @mask: clears the bits that the region's @pre shifts out, without a shift
 * @scale: as in the region
 * @add: the bias, in units of the product
 * @align: masks the shifted product down to the position of a whole counter
 * @base: position of the first counter, in bytes
 * @shift: number of bits of the product to drop
 * @width: bytes of a counter; 0: the region has no counters, its ticks are outside
 *
 * Dropping all bits at the end, instead of shift by shift, is exact: bits that
 * are zero, or dropped anyway, carry nothing.  profil_bin_clip() ensures that
 * the product of a PC below @high has at most 57 bits, so 64 are enough.
 */
struct profil_bin {
	__u64 low;
	__u64 high;
	__u64 offset;
	__u64 mask;
	__u64 scale;
	__u64 add;
	__u64 align;
	__u64 base;
	__u8 shift;
	__u8 width;
};

/**
 * profil_bin_prepare() - prepare a region for the tick
 * @bin: receives the result
 * @r: a valid region, which is clipped here
 * @base: position of the region's first counter
 *
 * Context: Any.
 * Return: 1; 0 if the prepared region has no PC left.
 */
static inline int profil_bin_prepare(struct profil_bin *bin, const struct profil_region *r,
				     __u64 base)
{
	__u8 log = r->width == 8 ? 3 : r->width == 4 ? 2 : 1;

	bin->low = r->low;
	bin->high = r->bytes ? profil_bin_clip(r) : r->high;
	bin->offset = r->offset;
	bin->mask = ~(__u64)0 << r->pre;
	bin->scale = r->scale;
	bin->add = (__u64)r->bias << (16 + r->pre);
	bin->align = ~((__u64)r->width - 1);
	bin->base = base;
	bin->shift = 16 + r->pre + r->post - log;
	bin->width = r->bytes ? r->width : 0;
	return bin->low < bin->high;
}

/**
 * profil_bin_position() - position of the counter of a PC
 * @bin: a prepared region with counters
 * @pc: a PC, not below @bin's low, and below its high
 *
 * Context: Any.
 * Return: the position, in bytes.
 */
static inline __u64 profil_bin_position(const struct profil_bin *bin, __u64 pc)
{
	__u64 product = ((pc - bin->offset) & bin->mask) * bin->scale + bin->add;

	return ((product >> bin->shift) & bin->align) + bin->base;
}

#endif /* PROFIL_BIN_H */
