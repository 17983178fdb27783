/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Wake-ups for the reader of a session's recordings: PROFIL_WAIT.
 *
 * A tick whose key is in the table already is not news, and does not look for a waiting reader.
 *
 * Context: hard interrupt; also process context
 */
#ifndef PROFIL_NEWS_H
#define PROFIL_NEWS_H

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/types.h>

/**
 * struct profil_news - what the reader of a session waits for
 * @keys: new keys until it is told; 0: it was told; below 0: it has never waited
 * @wake: wakes the reader; constant
 */
struct profil_news {
	atomic_t keys;
	struct irq_work *wake;
};

/**
 * profil_news_init() - start without a waiting reader
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
 * @keys: tell it after this many new keys, or any other news; above 0
 *
 * Context: Any.
 */
static inline void profil_news_await(struct profil_news *news, int keys)
{
	atomic_set(&news->keys, keys);
	/* Before the reader looks at the table: a tick claims its element, then reads this. */
	smp_mb();
}

/**
 * profil_news_told() - has there been news since the reader began to wait?
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
 * @news: of its session, which cannot end during the call
 *
 * Context: Any.
 */
static inline void profil_news_tell(struct profil_news *news)
{
	/* After what is told: the reader arms, and then looks at that. */
	smp_mb();
	if (atomic_read(&news->keys) > 0 && atomic_xchg(&news->keys, 0) > 0)
		irq_work_queue(news->wake);
}

/**
 * profil_news_key() - count a new key, and tell the reader if that is the last it waits for
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
