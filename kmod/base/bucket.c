// SPDX-License-Identifier: GPL-2.0-only
/*
 * A bucket of a hash table, with its own lock.
 *
 * Context: tracepoint probe
 */
#include "base/base.h"

#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>

/**
 * profil_buckets_init() - initialise a hash table
 * @table: its buckets, all zero
 * @nr: how many
 * @key: of the table, for lockdep
 *
 * Context: Any.
 */
void profil_buckets_init(struct profil_bucket *table, unsigned int nr, struct lock_class_key *key)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		raw_spin_lock_init(&table[i].lock);
		lockdep_set_class(&table[i].lock, key);
	}
}

/**
 * profil_buckets_lock() - lock two buckets of a table
 * @a: one of them
 * @b: the other one, which may be the same
 *
 * Context: Any; interrupts are off.
 */
void profil_buckets_lock(struct profil_bucket *a, struct profil_bucket *b)
	__acquires(&a->lock) __acquires(&b->lock)
{
	raw_spin_lock(&min(a, b)->lock);
	if (a != b)
		raw_spin_lock_nested(&max(a, b)->lock, SINGLE_DEPTH_NESTING);
	else
		__acquire(&b->lock);
}

/**
 * profil_buckets_unlock() - undo profil_buckets_lock()
 * @a: as there
 * @b: likewise
 *
 * Context: Any; interrupts are off.
 */
void profil_buckets_unlock(struct profil_bucket *a, struct profil_bucket *b)
	__releases(&a->lock) __releases(&b->lock)
{
	if (a != b)
		raw_spin_unlock(&b->lock);
	else
		__release(&b->lock);
	raw_spin_unlock(&a->lock);
}

/**
 * profil_buckets_longest() - how much of a hash table a tick may have to walk
 * @table: its buckets
 * @nr: how many
 *
 * Context: Process context.
 * Return: the length of the longest chain.
 */
unsigned int profil_buckets_longest(const struct profil_bucket *table, unsigned int nr)
{
	unsigned int i, length, longest = 0;
	const struct hlist_node *node;

	for (i = 0; i < nr; i++) {
		length = 0;
		rcu_read_lock();
		for (node = rcu_dereference(hlist_first_rcu(&table[i].chain)); node;
		     node = rcu_dereference(hlist_next_rcu(node)))
			length++;
		rcu_read_unlock();
		longest = max(longest, length);
	}
	return longest;
}
