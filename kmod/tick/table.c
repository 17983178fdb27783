// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of counts of a recording: how a key gets its element.
 *
 * The reader owns the table and may write to it at any time: an element is only claimed
 * and incremented, and its contents are never trusted.
 *
 * Context: hard interrupt; also process context with interrupts off
 */
#include "tick/record.h"

/**
 * profil_table_claim() - give a key an element
 * @element: was free
 * @key: the key
 * @news: as for profil_table_add_from()
 *
 * Context: Interrupts off, in a section.
 * Return: true if the element is the key's now.
 */
bool profil_table_claim(struct profil_count *element, u64 key, struct profil_news *news)
{
	u64 there = cmpxchg(&element->key, 0, key);

	if (!there)
		profil_news_key(news);
	return !there || there == key;
}

/**
 * profil_table_add() - count a tick with a key that may be new
 * @pins: of the table
 * @key: as in &struct profil_count
 * @news: of the session, whose reader may wait for new keys
 *
 * Without a second place, a table that is replaced when it is three eighths full would
 * lose a tick now and then.  Keys with the same index differ in the low half of the product.
 *
 * Context: Interrupts off, in a section, which the end of the session waits for.
 * Return: PROFIL_COUNTED; PROFIL_FULL without room.
 */
enum profil_cause profil_table_add(const struct profil_pins *pins, u64 key,
				   struct profil_news *news)
{
	enum profil_cause cause = profil_table_add_from(pins, key, profil_table_index(pins, key),
							true, news);
	u64 hash = hash_64(key, 64);

	if (cause != PROFIL_FULL)
		return cause;
	return profil_table_add_from(pins, key,
				     hash_64(hash ^ hash >> 32, pins->layout->count_bits), true,
				     news);
}
