// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording that has ended, but whose numbers are kept for the reader.
 *
 * Context: process
 */
#include "profile/recording.h"

#include "base/limits.h"

#include <linux/math.h>
#include <linux/spinlock.h>

/* Return: the pages that the entries of a recording take. */
static long profil_recording_pages(const struct profil_recording *recording)
{
	return DIV_ROUND_UP((u64)READ_ONCE(recording->entries) * PROFIL_NODE_SIZE, PAGE_SIZE);
}

/**
 * profil_recording_charge() - charge for the numbers of a recording that has ended
 * @recording: has ended, so it gets no more numbers
 *
 * Context: Process context.
 */
void profil_recording_charge(struct profil_recording *recording)
{
	unsigned long flags;
	long pages, before;

	/* Two threads that forget numbers may charge at once: the later one counts fewer. */
	raw_spin_lock_irqsave(&recording->lock, flags);
	pages = profil_recording_pages(recording);
	before = recording->kept;
	WRITE_ONCE(recording->kept, pages);
	raw_spin_unlock_irqrestore(&recording->lock, flags);
	profil_user_shift_pages(recording->user, pages - before);
}

/**
 * profil_recording_keep() - check whether the numbers of a recording may be kept when it ends
 * @recording: its profile is about to end; or has ended, and the numbers have been charged
 *
 * Context: Process context.
 * Return: 0; -EDQUOT if the recording's user cannot pay for the numbers.
 */
int profil_recording_keep(struct profil_recording *recording)
{
	if (READ_ONCE(recording->kept))
		return 0;
	return profil_user_may_shift(recording->user, profil_recording_pages(recording)) ? 0 :
											   -EDQUOT;
}

/**
 * profil_recording_drain() - free the nodes in the pool of a recording that has ended
 * @recording: the recording
 *
 * Context: Process context.
 */
void profil_recording_drain(struct profil_recording *recording)
{
	struct profil_pool pool = {};
	unsigned long flags;

	/* Under the lock, as probes may still take nodes. */
	raw_spin_lock_irqsave(&recording->lock, flags);
	pool.nodes.first = llist_del_all(&recording->pool.nodes);
	atomic_set(&recording->pool.filled, 0);
	raw_spin_unlock_irqrestore(&recording->lock, flags);
	profil_pool_empty(&pool);
}

/**
 * profil_recording_end() - charge for a recording that has ended, and tell its reader
 * @recording: the recording
 *
 * The recording gets no more numbers.  Those that it has are charged even if they are not to be
 * kept, because the recording's file may stay open for a long time.
 *
 * Context: Process context.
 */
void profil_recording_end(struct profil_recording *recording)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&recording->lock, flags);
	WRITE_ONCE(recording->ended, true);
	if (recording->news)
		profil_news_tell(recording->news);
	raw_spin_unlock_irqrestore(&recording->lock, flags);
	profil_recording_drain(recording);
	profil_recording_charge(recording);
}
