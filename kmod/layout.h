/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A layout: what is counted and where, checked once and never changed.
 *
 * Context: any
 */
#ifndef PROFIL_LAYOUT_H
#define PROFIL_LAYOUT_H

#include "bin.h"

#include <linux/profil.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#define PROFIL_REGION_MAX	32768

/**
 * struct profil_span - a run of pages that hold counters
 * @start: address of its first page in the memory of the counters' owner
 * @pages: number of pages
 * @first: index of the first in &struct profil_pins.page
 * @signature: what is mapped there; set when it is pinned first, before any
 *	tick or fork can see the layout
 *
 * Spans share no page, so that every page is pinned and charged once.
 */
struct profil_span {
	unsigned long start;
	unsigned long pages;
	unsigned long first;
	u64 signature;
};

/**
 * struct profil_layout - regions and policy in the form the tick wants
 * @refs: profiles, pins and births that use it; the last one frees it, and
 *	with it a reference to the module, from the module's own workqueue
 * @free: that work
 * @how: what the caller asked for, as given
 * @limit: greatest value of a counter of 1 << index bytes
 * @overflow: position of the overflow counter, if how.overflow
 * @samples: position of the array of PCs, if how.samples
 * @bytes: memory of the layout itself
 * @pages: pages of all spans
 * @spans: where they are
 * @nr_spans: how many
 * @nr_bins: how many regions are left after clipping
 * @pcsample: was given without regions: a full array stops the profile
 * @bin: sorted and disjoint, with positions
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
	size_t bytes;
	unsigned long pages;
	struct profil_span *spans;
	unsigned int nr_spans;
	unsigned int nr_bins;
	bool pcsample;
	struct profil_bin bin[];
};

struct profil_layout *profil_layout_create(const struct profil_start *how);
struct profil_layout *profil_layout_update(const struct profil_layout *old,
					   const struct profil_update *update);
struct profil_layout *profil_layout_get(struct profil_layout *layout);
void profil_layout_put(struct profil_layout *layout);

/**
 * profil_layout_find() - the region of a PC
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
	/* If any region begins at or below pc, the last such is among these n. */
	while (n > 1) {
		unsigned int half = n / 2;

		bin = bin[half].low <= pc ? bin + half : bin;
		n -= half;
	}
	return pc >= bin->low && pc < bin->high ? bin : NULL;
}

#endif /* PROFIL_LAYOUT_H */
