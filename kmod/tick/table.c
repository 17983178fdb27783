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

/* Return: true if the element is the key's, or was free and is the key's now. */
static bool profil_table_claim(struct profil_count *element, u64 key, struct profil_news *news)
{
	u64 there = READ_ONCE(element->key);

	if (there)
		return there == key;
	there = cmpxchg(&element->key, 0, key);
	if (!there)
		profil_news_key(news);
	return !there || there == key;
}

static enum profil_cause profil_table_add_from(const struct profil_pins *pins, u64 key, u64 index,
					       struct profil_news *news)
{
	struct profil_count *element;
	unsigned int i;

	for (i = 0; i < PROFIL_TABLE_TRIES; i++) {
		element = profil_table_element(pins, index + i);
		if (!profil_table_claim(element, key, news))
			continue;
		profil_table_count(element);
		return PROFIL_COUNTED;
	}
	return PROFIL_FULL;
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
							news);
	u64 hash = hash_64(key, 64);

	if (cause != PROFIL_FULL)
		return cause;
	return profil_table_add_from(pins, key,
				     hash_64(hash ^ hash >> 32, pins->layout->count_bits), news);
}
