/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A binding: it ties a profile to an address space, or to one of its threads.
 *
 * Context: any
 */
#ifndef PROFIL_BINDING_H
#define PROFIL_BINDING_H

#include "base/bucket.h"
#include "profile/owned.h"

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/siphash.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct mm_struct;
struct pid;
struct profil_profile;
struct profil_hits;
struct profil_session;

#define PROFIL_BINDING_BITS	12
/* In the low bits of a key, which are 0 in the address of an mm. */
#define PROFIL_KEY_THREAD	1UL
#define PROFIL_KEY_OWNED	2UL
#define PROFIL_KEY_MORE		4UL
#define PROFIL_KEY_EVENT	8UL
/* For one address space: bindings to all of it, and to single threads. */
#define PROFIL_BINDINGS_MAX	8
#define PROFIL_THREADS_MAX	64
/*
 * Bindings in a bucket, of privileged profiles and of others, each: a tick, or a fork with
 * interrupts off, may walk past all of them.  And those of one user: two of their address spaces
 * may be in one bucket by chance.
 */
#define PROFIL_CHAIN_MAX	256
#define PROFIL_CHAIN_USER_MAX	(2 * (PROFIL_BINDINGS_MAX + PROFIL_THREADS_MAX))

/**
 * struct profil_binding - ties a profile to an address space
 * @node: in the table, which the tick reads under RCU
 * @key: @mm, as the tick compares it.  PROFIL_KEY_OWNED: it is a recording's, so ticks are
 *	counted by file, for @owned; the others are set only with this one.
 *	PROFIL_KEY_THREAD: only @thread is sampled.  PROFIL_KEY_MORE:
 *	there are other system-wide recordings, which @mm may not be in yet.
 *	PROFIL_KEY_EVENT: its ticks are those of an event, not of the clock.
 * @thread: the only thread that is sampled, referenced; NULL: all threads
 * @mm: the address space; grabbed, so that its address is not reused
 * @profile: the profile that its ticks count for, referenced
 * @link: in the profile's list; empty once the binding is removed
 * @free: frees it a grace period after it was removed
 * @freed_next: what is freed with it, or NULL: see profil_binding_remove()
 * @owned: in a recording, the owner of its ticks
 * @life: number of the address space in the recording
 * @hits: where its texts are, once a tick has asked; set once
 *
 * @node and PROFIL_KEY_MORE are changed under the lock of its bucket, @link under that and
 * the profile's bindings_lock; the rest is constant once it is in the table.
 */
struct profil_binding {
	struct hlist_node node;
	unsigned long key;
	struct profil_profile *profile;
	struct mm_struct *mm;
	struct pid *thread;
	struct list_head link;
	struct rcu_work free;
	struct profil_binding *freed_next;
	struct profil_owned owned;
	u64 life;
	struct profil_hits *hits;
};

extern struct profil_bucket profil_bindings[1 << PROFIL_BINDING_BITS];

/*
 * The buckets that the sweep looks at: a bit is set under its bucket's lock before there is a
 * binding, and cleared by a sweep that finds none.
 */
extern DECLARE_BITMAP(profil_bindings_used, 1 << PROFIL_BINDING_BITS);

/* Random, so that no user can make others' bindings share a bucket. */
extern siphash_key_t profil_binding_key;

/* To measure the worst case (make bench MODE=worst): all bindings share a bucket. */
#ifdef PROFIL_TEST_ONE_BUCKET
#define PROFIL_BINDING_HASHES	0ULL
#else
#define PROFIL_BINDING_HASHES	~0ULL
#endif

static inline struct profil_bucket *profil_binding_bucket(const struct mm_struct *mm)
{
	u64 hash = siphash_1u64((uintptr_t)mm, &profil_binding_key) & PROFIL_BINDING_HASHES;

	return &profil_bindings[hash >> (64 - PROFIL_BINDING_BITS)];
}

/*
 * For the probe on sched_switch, which looks at each task: how many bindings there are to
 * address spaces with the same cheap hash.  Its factor is random and odd.
 */
extern u64 profil_binding_factor;
extern atomic_t profil_binding_filter[1 << PROFIL_BINDING_BITS];

static inline atomic_t *profil_binding_sieve(const struct mm_struct *mm)
{
	u64 hash = (uintptr_t)mm * profil_binding_factor;

	return &profil_binding_filter[hash >> (64 - PROFIL_BINDING_BITS)];
}

/* Return: false only if @mm is certainly not profiled: others may have the same hash. */
static inline bool profil_maybe_bound(const struct mm_struct *mm)
{
	return mm && atomic_read(profil_binding_sieve(mm));
}

void profil_bindings_init(void);
struct profil_binding *profil_binding_alloc(void);
void profil_binding_free(struct profil_binding *binding);
void profil_binding_init(struct profil_binding *binding, struct mm_struct *mm,
			 struct profil_profile *profile);
void profil_binding_own(struct profil_binding *binding, struct profil_owned owned, u64 life);
void profil_binding_narrow(struct profil_binding *binding, struct pid *thread);
int profil_binding_publish_self(struct profil_binding *binding,
				const struct profil_profile *replaced);
int profil_binding_publish_locked(struct profil_bucket *bucket, struct profil_binding *binding);
int profil_binding_publish(struct profil_binding *binding);
struct profil_profile *profil_binding_self(struct mm_struct *mm);
bool profil_binding_full(const struct profil_profile *profile, unsigned int count);
void profil_binding_remove(struct profil_binding *binding, struct profil_binding **removed);
void profil_bindings_remove(struct profil_profile *profile);
void profil_binding_drop(struct profil_binding *binding);
unsigned int profil_bindings_count(void);

#endif /* PROFIL_BINDING_H */
