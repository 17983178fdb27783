/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A layout: the regions and policy of a profile, checked once, never changed.
 *
 * Context: any
 */
#ifndef PROFIL_LAYOUT_H
#define PROFIL_LAYOUT_H

#include "memory/bin.h"

#include <linux/profil_record.h>
#include <linux/refcount.h>
#include <linux/workqueue.h>

#define PROFIL_REGION_MAX	32768
/* Size of an element of a recording's table of counts, in samples. */
#define PROFIL_COUNT_SAMPLES	(sizeof(struct profil_count) / sizeof(u64))

/**
 * struct profil_span - a run of pages that hold counters
 * @start: address of its first page in the memory of the counters' owner
 * @pages: number of pages
 * @first: index of the first page in &struct profil_pins.page
 *
 * Spans share no page, so that every page is pinned and charged once.
 */
struct profil_span {
	unsigned long start;
	unsigned long pages;
	unsigned long first;
};

/**
 * struct profil_layout - regions and policy, prepared for the tick
 * @refs: references from pins, births and callers.  Dropping the last one frees the layout, in
 *	the module's workqueue or where pins are dropped, and drops its reference to the module
 * @free: the work that frees the layout
 * @how: the request from which the layout was made
 * @limit: greatest value of a counter of 1 << index bytes
 * @overflow: position of the overflow counter, if @how.overflow is set
 * @samples: position of the array of PCs, if @how.samples is set
 * @count_bits: log2 of the number of elements, if the array is a recording's table of
 *	counts; else 0
 * @count_mask: the number of these elements minus 1
 * @count_secret: for hashes of keys; random and odd, so that no program can choose PCs whose keys
 *	take the room of other keys
 * @gate_value: the gate's value when the layout was made
 * @bytes: size of the layout itself
 * @pages: number of pages in all spans
 * @spans: the spans, stored behind @bin
 * @nr_spans: number of spans
 * @nr_bins: number of regions left after clipping
 * @pcsample: the request had samples and no regions: a full array stops the profile
 * @bin: the regions, sorted and disjoint, with positions
 *
 * A position is a byte offset into the pages of all spans laid end to end.
 */
struct profil_layout {
	refcount_t refs;
	struct work_struct free;
	struct profil_start how;
	u64 limit[4];
	u64 overflow;
	u64 samples;
	unsigned int count_bits;
	u64 count_mask;
	u64 count_secret;
	u32 gate_value;
	size_t bytes;
	unsigned long pages;
	struct profil_span *spans;
	unsigned int nr_spans;
	unsigned int nr_bins;
	bool pcsample;
	struct profil_bin bin[];
};

/**
 * profil_layout_is_table() - is this the layout of a recording?
 * @layout: a layout
 *
 * Context: Any.
 * Return: true if the layout consists of a table of counts.
 */
static inline bool profil_layout_is_table(const struct profil_layout *layout)
{
	return layout->count_bits;
}

/**
 * profil_layout_sample() - position of an element of the array of PCs
 * @layout: a layout with such an array
 * @index: number of the element
 *
 * Context: Any, hard interrupt included.
 * Return: the position, in bytes.
 */
static inline u64 profil_layout_sample(const struct profil_layout *layout, u64 index)
{
	return layout->samples + index * layout->how.sample_width;
}

struct profil_layout *profil_layout_create(const struct profil_start *how, bool table);
struct profil_layout *profil_layout_move_table(const struct profil_layout *old,
					       const struct profil_start *start);
struct profil_layout *profil_layout_get(struct profil_layout *layout);
void profil_layout_put(struct profil_layout *layout);
void profil_layout_put_here(struct profil_layout *layout);
unsigned long profil_layout_address(const struct profil_layout *layout, unsigned long index);

/**
 * profil_layout_find() - find the region of a PC
 * @layout: a layout
 * @pc: any address
 *
 * Context: Any, hard interrupt included.
 * Return: the region, or NULL.
 */
static inline const struct profil_bin *profil_layout_find(const struct profil_layout *layout,
							  u64 pc)
{
	const struct profil_bin *bin = layout->bin;
	unsigned int n = layout->nr_bins;

	if (!n)
		return NULL;
	/* If any region begins at or below pc, the last one that does is among these n. */
	while (n > 1) {
		unsigned int half = n / 2;

		bin = bin[half].low <= pc ? bin + half : bin;
		n -= half;
	}
	return pc >= bin->low && pc < bin->high ? bin : NULL;
}

#endif /* PROFIL_LAYOUT_H */
