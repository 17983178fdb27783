/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * News of a session's recordings, for which its reader sleeps: PROFIL_RECORD_NEWS.
 *
 * A tick whose key the table has already is no news, and does not look whether anybody waits.
 *
 * Context: hard interrupt; also process context
 */
#ifndef PROFIL_NEWS_H
#define PROFIL_NEWS_H

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/types.h>

/**
 * struct profil_news - does the reader of a session wait for news?
 * @keys: new keys until it is told; 0: it was told; below 0: it has never waited
 * @wake: wakes it; constant
 */
struct profil_news {
	atomic_t keys;
	struct irq_work *wake;
};

/**
 * profil_news_init() - nobody waits
 * @news: of a session that is created
 * @wake: its follower's
 *
 * Context: Process context.
 */
static inline void profil_news_init(struct profil_news *news, struct irq_work *wake)
{
	atomic_set(&news->keys, -1);
	news->wake = wake;
}

/**
 * profil_news_await() - from now on the reader waits, and is told once
 * @news: of its session
 * @keys: after so many new keys, or at any other news; above 0
 *
 * Context: Any.
 */
static inline void profil_news_await(struct profil_news *news, int keys)
{
	atomic_set(&news->keys, keys);
	/* Before the reader looks: a tick takes its element, then reads this. */
	smp_mb();
}

/**
 * profil_news_told() - were there news since the reader has begun to wait?
 * @news: of its session
 *
 * Context: Any.
 * Return: true if so.
 */
static inline bool profil_news_told(const struct profil_news *news)
{
	return !atomic_read(&news->keys);
}

/**
 * profil_news_tell() - tell the reader, if it waits
 * @news: of its session, which cannot end meanwhile
 *
 * Context: Any.
 */
static inline void profil_news_tell(struct profil_news *news)
{
	if (atomic_read(&news->keys) > 0 && atomic_xchg(&news->keys, 0) > 0)
		irq_work_queue(news->wake);
}

/**
 * profil_news_key() - a tick has a new key
 * @news: of its session
 *
 * Context: Interrupts off, in a section, which the end of the session waits for.
 */
static inline void profil_news_key(struct profil_news *news)
{
	if (!atomic_dec_if_positive(&news->keys))
		irq_work_queue(news->wake);
}

#endif /* PROFIL_NEWS_H */
