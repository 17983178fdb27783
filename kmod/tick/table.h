/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of counts of a recording: where its keys are.
 *
 * Context: hard interrupt; also process context with interrupts off
 */
#ifndef PROFIL_TABLE_H
#define PROFIL_TABLE_H

#include "memory/layout.h"
#include "memory/pins.h"
#include "profile/stats.h"
#include "tick/window.h"

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/profil_record.h>
#include <linux/types.h>

struct profil_news;

/* How many elements in a row a key may be in, from each of its two places on. */
#define PROFIL_TABLE_TRIES	16

static __always_inline struct profil_count *profil_table_element(const struct profil_pins *pins,
								 u64 index)
{
	const struct profil_layout *layout = pins->layout;
	u64 position = layout->samples +
		       (index & layout->count_mask) * sizeof(struct profil_count);
	void *page = READ_ONCE(pins->page[(position >> PAGE_SHIFT) & pins->mask]);

	return page + (position & ~PAGE_MASK);
}

/* By the product's highest bits: no others depend on the cell's number, the key's highest bits. */
static __always_inline u64 profil_table_index(const struct profil_pins *pins, u64 key)
{
	return hash_64(key, pins->layout->count_bits);
}

static __always_inline void profil_table_count(struct profil_count *element)
{
	profil_window();
	atomic64_inc((atomic64_t *)&element->count);
}

/**
 * profil_table_add_known() - count a tick with a key that has its element already
 * @pins: of the table
 * @key: as in &struct profil_count
 *
 * Nearly all ticks take this path, so it calls nothing.
 *
 * Context: Interrupts off, in a section.
 * Return: PROFIL_COUNTED; PROFIL_FULL: use profil_table_add().
 */
static __always_inline enum profil_cause profil_table_add_known(const struct profil_pins *pins,
								u64 key)
{
	u64 index = profil_table_index(pins, key), there;
	struct profil_count *element;
	unsigned int i;

	for (i = 0; i < PROFIL_TABLE_TRIES; i++) {
		element = profil_table_element(pins, index + i);
		there = READ_ONCE(element->key);
		if (there == key) {
			profil_table_count(element);
			return PROFIL_COUNTED;
		}
		if (!there)
			break;
		barrier();	/* or each tick loads registers for rounds that few need */
	}
	return PROFIL_FULL;
}

enum profil_cause profil_table_add(const struct profil_pins *pins, u64 key,
				   struct profil_news *news);

#endif /* PROFIL_TABLE_H */
