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
#include <linux/mm.h>
#include <linux/spinlock.h>

/* What its entries take. */
static unsigned long profil_recording_pages(const struct profil_recording *recording)
{
	return DIV_ROUND_UP((u64)READ_ONCE(recording->in_use) * PROFIL_NODE_SIZE, PAGE_SIZE);
}

/* @pages: charged.  Two threads may be here at once. */
static void profil_recording_keep_pages(struct profil_recording *recording, unsigned long pages)
{
	profil_user_uncharge_pages(recording->user, xchg(&recording->kept, pages));
}

/**
 * profil_recording_keep() - charge for the numbers of a recording that is kept for them alone
 * @recording: of a profile that is about to end; called again for one that is kept already
 *
 * Context: Process context.
 * Return: 0; -EDQUOT: nothing has changed.
 */
int profil_recording_keep(struct profil_recording *recording)
{
	unsigned long pages = profil_recording_pages(recording);
	int err = profil_user_charge_pages(recording->user, pages);

	if (!err)
		profil_recording_keep_pages(recording, pages);
	return err;
}

/**
 * profil_recording_end() - a recording has ended: charge for what is left, tell who waits for news
 * @recording: the recording
 *
 * Its file may stay open for long, however the recording has ended.
 *
 * Context: Process context.
 */
void profil_recording_end(struct profil_recording *recording)
{
	unsigned long flags, pages = profil_recording_pages(recording);

	profil_user_charge_kept(recording->user, pages);
	profil_recording_keep_pages(recording, pages);
	raw_spin_lock_irqsave(&recording->lock, flags);
	WRITE_ONCE(recording->ended, true);
	if (recording->news)
		profil_news_tell(recording->news);
	raw_spin_unlock_irqrestore(&recording->lock, flags);
}
