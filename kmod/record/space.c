// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording's cache for an address space: its mappings, and the cells of its texts.
 *
 * A lookup of a mapping is valid until any mapping changes, and is then repeated.  Usually the
 * text is the same as before, so its cell is cached, and need not be looked up among the cells
 * of the whole recording.
 *
 * Context: process
 */
#include "record/record.h"

#include "tick/record.h"

#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

/* A hit is valid for this long at most, because an overwritten file goes unnoticed until then. */
#define BELIEVED	DIV_ROUND_UP(HZ, 10)
#define CELL_BITS	5

/**
 * struct cell - a cached cell
 * @text: identity of the cell's text
 * @owner: the cell's owner; 0: not in use
 * @number: the cell's number
 */
struct cell {
	struct profil_identity text;
	u32 owner;
	u32 number;
};

/**
 * struct space - the cache for an address space
 * @hits: the part that ticks read, and the lock; the first member, because kfree() gets its address
 * @forgets: the value of &profil_recording.forgets for which @cell is valid
 * @cell: cells, by a hash of the text
 */
struct space {
	struct profil_hits hits;
	u32 forgets;
	struct cell cell[1 << CELL_BITS];
};

/**
 * profil_space_alloc() - allocate the cache for an address space
 * @profile: the profile of the recording, whose memory cgroup is active
 * @payer: as for profil_meet_alloc()
 *
 * Context: Process.
 * Return: the part that ticks read, to be freed with kfree(); NULL without memory.
 */
struct profil_hits *profil_space_alloc(const struct profil_profile *profile, unsigned long payer)
{
	struct space *space = profil_meet_alloc(profile, sizeof(*space), payer);

	BUILD_BUG_ON(offsetof(struct space, hits));
	if (!space)
		return NULL;
	raw_spin_lock_init(&space->hits.lock);
	seqcount_init(&space->hits.seq);
	return &space->hits;
}

static noinline void profil_space_forget(struct space *space, u32 forgets)
{
	memset(space->cell, 0, sizeof(space->cell));
	space->forgets = forgets;
}

/*
 * Drop all cells if the reader has forgotten numbers.  The lock is held.  Return: the element for
 * the cell of a text.
 */
static __always_inline struct cell *profil_space_cell(struct space *space,
						      const struct profil_identity *text,
						      u32 forgets)
{
	if (unlikely(space->forgets != forgets))
		profil_space_forget(space, forgets);
	return &space->cell[hash_64(text->word[0] + text->word[1], CELL_BITS)];
}

/* memcmp(), inlined. */
static __always_inline bool profil_space_is_text(const struct profil_identity *a,
						 const struct profil_identity *b)
{
	u64 differ = (a->kind ^ b->kind) | (a->generation ^ b->generation);

	BUILD_BUG_ON(ARRAY_SIZE(a->word) != 5);
	differ |= a->word[0] ^ b->word[0];
	differ |= a->word[1] ^ b->word[1];
	differ |= a->word[2] ^ b->word[2];
	differ |= a->word[3] ^ b->word[3];
	return !(differ | (a->word[4] ^ b->word[4]));
}

/*
 * Return: the way of a set that a hit replaces: the way with the same address, or the next one.  If
 * mappings have changed, older hits may overlap the new hit, but are no longer valid.
 */
static struct profil_hit *profil_space_way(struct profil_hits *hits, const struct profil_hit *hit)
{
	unsigned int set = profil_hit_set(hit->low), i;

	for (i = 0; i < PROFIL_HIT_WAYS; i++)
		if (hits->hit[set][i].low == hit->low)
			return &hits->hit[set][i];
	return &hits->hit[set][hits->next[set]++ % PROFIL_HIT_WAYS];
}

/* Store a hit.  The lock is held. */
static void profil_space_believe(struct profil_hits *hits, u32 cell, const struct profil_hit *hit)
{
	struct profil_hit *way = profil_space_way(hits, hit);

	write_seqcount_begin(&hits->seq);
	WRITE_ONCE(way->low, hit->low);
	WRITE_ONCE(way->span, hit->span);
	WRITE_ONCE(way->key, (u64)cell << PROFIL_COUNT_SHIFT | hit->key);
	WRITE_ONCE(way->mappings, hit->mappings);
	WRITE_ONCE(way->until, jiffies + BELIEVED);
	write_seqcount_end(&hits->seq);
}

/**
 * profil_space_recall() - add a hit, if the cell of its text is known
 * @hits: the hits of the address space
 * @text: identity of the mapped text
 * @owner: the cell's owner
 * @forgets: &profil_recording.forgets, read before @number was looked up
 * @number: number of the cell, to be cached; 0: use the cached number
 * @hit: the part of the mapping; its key is only the offset
 *
 * Context: Interrupts off, under RCU.
 * Return: the number of the cell; 0 if it is not known.
 */
u32 profil_space_recall(struct profil_hits *hits, const struct profil_identity *text, u32 owner,
			u32 forgets, u32 number, const struct profil_hit *hit)
{
	struct space *space = container_of(hits, struct space, hits);
	struct cell *cell;

	raw_spin_lock(&hits->lock);
	cell = profil_space_cell(space, text, forgets);
	if (number)
		*cell = (struct cell) { .text = *text, .owner = owner, .number = number };
	else if (owner && cell->owner == owner && profil_space_is_text(&cell->text, text))
		number = cell->number;
	if (number)
		profil_space_believe(hits, number, hit);
	raw_spin_unlock(&hits->lock);
	return number;
}
