// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the users whose tasks are in a recording may take from it: numbers, memory of its pool, and
 * caches of lookups.
 *
 * Context: any
 */
#include "profile/recording.h"

#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/siphash.h>
#include <linux/spinlock.h>

/**
 * profil_recording_share() - find the share that a payer's tasks take from
 * @recording: the recording
 * @payer: profil_payer() of a task; 0: none
 *
 * Context: Any.
 * Return: the share; 0 for the recording's creator, and for @payer 0.
 */
u32 profil_recording_share(const struct profil_recording *recording, unsigned long payer)
{
	if (!payer || payer == recording->payer)
		return 0;
	/* Hashed with a secret, so that no user can choose a share, such as another user's. */
	return 1 + (siphash_1u64(payer, &recording->key) >> (64 - PROFIL_SHARE_BITS));
}

/*
 * Another share than 0 never takes more than is left for all.  So whatever one user's programs do,
 * something is left for other users' programs, and a single user gets less than half.  However many
 * users there are, an eighth is kept for share 0: for the recording's creator, and for what is
 * nobody's.
 *
 * Return: how much a share may still take.
 */
static u32 profil_shares_left(const struct profil_shares *shares, u32 share)
{
	u32 limit = READ_ONCE(shares->limit), kept = limit / PROFIL_SHARES_KEPT, used;
	u32 left = limit - min(limit, READ_ONCE(shares->sum));

	if (!share)
		return left;
	left -= min(left, kept - min(kept, READ_ONCE(shares->used[0])));
	used = READ_ONCE(shares->used[share]);
	return used < left ? (left - used) / 2 : 0;
}

/**
 * profil_recording_left() - count the numbers that a payer may still use
 * @recording: the recording
 * @payer: profil_payer() of the task that the numbers are for; 0: they are for no user
 *
 * Context: Any.
 * Return: their number; an owner needs PROFIL_OWNER_NUMBERS.
 */
u32 profil_recording_left(const struct profil_recording *recording, unsigned long payer)
{
	return profil_shares_left(&recording->numbers, profil_recording_share(recording, payer));
}

/**
 * profil_shares_take() - take something, or give it back
 * @shares: of a recording whose lock is held
 * @share: the share
 * @change: how much; negative: it is given back
 *
 * Context: Any.
 */
void profil_shares_take(struct profil_shares *shares, u32 share, int change)
{
	/* Ticks read these without the lock. */
	WRITE_ONCE(shares->sum, shares->sum + change);
	WRITE_ONCE(shares->used[share], shares->used[share] + change);
}

/**
 * profil_recording_node() - take memory from the recording's pool
 * @recording: its lock is held
 * @share: the share of the task that the memory is for
 * @keep: number of nodes to leave for others
 *
 * Context: Any but hard interrupt.
 * Return: zeroed memory of PROFIL_NODE_SIZE bytes, to be freed with kfree().  NULL if the pool has
 * no node to spare, if the share has taken too many, or if the recording has ended.
 */
void *profil_recording_node(struct profil_recording *recording, u32 share, int keep)
{
	void *node;

	lockdep_assert_held(&recording->lock);
	if (recording->ended || atomic_read(&recording->pool.filled) <= keep ||
	    (share && !profil_shares_left(&recording->taken, share)))
		return NULL;
	node = profil_pool_take(&recording->pool);
	if (node)
		profil_shares_take(&recording->taken, share, 1);
	return node;
}

/**
 * profil_recording_cache() - count an address space whose lookups are cached
 * @recording: the recording
 * @share: the share of the task that had the tick
 * @change: 1: its lookups are to be cached; -1: they no longer are
 *
 * Context: Any but hard interrupt.
 * Return: false, with nothing changed, if the share has too many for another one.
 */
bool profil_recording_cache(struct profil_recording *recording, u32 share, int change)
{
	unsigned long flags;
	bool fits;

	if (change > 0 && !profil_shares_left(&recording->caches, share))
		return false;
	raw_spin_lock_irqsave(&recording->lock, flags);
	fits = change < 0 || profil_shares_left(&recording->caches, share);
	if (fits)
		profil_shares_take(&recording->caches, share, change);
	raw_spin_unlock_irqrestore(&recording->lock, flags);
	return fits;
}
