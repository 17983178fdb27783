// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording that has ended, and whose numbers are kept for the reader.
 *
 * Context: process
 */
#include "record/kept.h"

#include "profile/limits.h"
#include "profile/pool.h"
#include "record/recording.h"
#include "tick/news.h"

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/math.h>
#include <linux/mm_types.h>
#include <linux/spinlock.h>

/* What its entries take. */
static unsigned long profil_recording_pages(const struct profil_recording *recording)
{
	return DIV_ROUND_UP((u64)READ_ONCE(recording->in_use) * PROFIL_NODE_SIZE, PAGE_SIZE);
}

/**
 * profil_recording_charge() - charge for the numbers that a recording has when it has ended
 * @recording: ended, so that it gets no more
 *
 * Context: Process context.
 */
void profil_recording_charge(struct profil_recording *recording)
{
	long pages = profil_recording_pages(recording);

	/* Two threads may charge at once, as each forgets numbers. */
	profil_user_shift_pages(recording->user, pages - xchg(&recording->kept, pages));
}

/**
 * profil_recording_keep() - may the numbers of a recording be kept when it ends?
 * @recording: of a profile that is about to end; or has ended, and has been charged
 *
 * Context: Process context.
 * Return: 0; -EDQUOT if its user cannot pay for them.
 */
int profil_recording_keep(struct profil_recording *recording)
{
	unsigned long pages = profil_recording_pages(recording);
	int err;

	if (READ_ONCE(recording->kept))
		return 0;
	err = profil_user_charge_pages(recording->user, pages);
	if (!err)
		profil_user_uncharge_pages(recording->user, pages);
	return err;
}

/**
 * profil_recording_end() - a recording has ended: charge for what is left, tell who waits for news
 * @recording: the recording
 *
 * It gets no more numbers.  Its file may stay open for long, however it has ended.
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
	profil_recording_charge(recording);
}
