/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bucket of a hash table, with its own lock: a probe, which holds it with interrupts
 * off, delays only processes that share the bucket.
 *
 * Context: any
 */
#ifndef PROFIL_BUCKET_H
#define PROFIL_BUCKET_H

#include <linux/list.h>
#include <linux/spinlock_types.h>

struct lock_class_key;

/**
 * struct profil_bucket - a bucket of a hash table
 * @chain: what is in it
 * @lock: guards @chain.  Raw, because probes take it with preemption off
 */
struct profil_bucket {
	struct hlist_head chain;
	raw_spinlock_t lock;
};

void profil_buckets_init(struct profil_bucket *table, unsigned int nr, struct lock_class_key *key);
void profil_buckets_lock(struct profil_bucket *a, struct profil_bucket *b);
void profil_buckets_unlock(struct profil_bucket *a, struct profil_bucket *b);
unsigned int profil_buckets_longest(const struct profil_bucket *table, unsigned int nr);

#endif /* PROFIL_BUCKET_H */
