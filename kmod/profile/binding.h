/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A binding: it ties a profile to an address space, or to one of its threads.
 *
 * Context: any
 */
#ifndef PROFIL_BINDING_H
#define PROFIL_BINDING_H

#include "base/base.h"

#include <linux/rculist.h>
#include <linux/siphash.h>
#include <linux/wait.h>

struct mem_cgroup;
struct mm_struct;
struct pid;
struct pid_namespace;
struct profil_hits;
struct profil_profile;
struct profil_session;
struct profil_user;

/*
 * The owner of the ticks of a binding or a watch in a recording.
 */

/**
 * struct profil_owned - an owner
 * @owner: the owner's number; 0: not in a recording, or not known
 *
 * The next numbers are the owner's cells for the texts that every recording has.
 */
struct profil_owned {
	u32 owner;
};

/* The owner's cell for ticks in kernel mode. */
static inline u32 profil_owned_kernel(struct profil_owned owned)
{
	return owned.owner + 1;
}

/* The owner's cell for ticks whose text is not known. */
static inline u32 profil_owned_unknown(struct profil_owned owned)
{
	return owned.owner + 2;
}

/* The owner's cell for the text "threads", in which thread IDs are the offsets. */
static inline u32 profil_owned_threads(struct profil_owned owned)
{
	return owned.owner + 3;
}

/**
 * profil_owned_read() - read an owner that may be changed at the same time
 * @owned: the owner
 *
 * Context: Any.
 * Return: a copy.
 */
static inline struct profil_owned profil_owned_read(const struct profil_owned *owned)
{
	return (struct profil_owned){ .owner = READ_ONCE(owned->owner) };
}

/**
 * profil_owned_write() - change an owner that ticks may read at the same time
 * @owned: the owner
 * @to: its new value
 *
 * Context: Any.
 */
static inline void profil_owned_write(struct profil_owned *owned, struct profil_owned to)
{
	WRITE_ONCE(owned->owner, to.owner);
}

/* The number of recordings; the upper half counts the system-wide ones. */
#define PROFIL_EVERYBODY_SHIFT	32
#define PROFIL_EVERYBODY	BIT_ULL(PROFIL_EVERYBODY_SHIFT)
extern atomic64_t profil_recordings;

static inline bool profil_recordings_exist(void)
{
	return atomic64_read(&profil_recordings);
}

static inline bool profil_everybody_exist(void)
{
	return atomic64_read(&profil_recordings) >> PROFIL_EVERYBODY_SHIFT;
}

/* The number of system-wide recordings that count ticks of kernel threads. */
extern atomic_t profil_threads;

static inline bool profil_threads_count(void)
{
	return atomic_read(&profil_threads);
}

/**
 * profil_everybody_met() - check whether @met contains all system-wide recordings
 * @met: bits of recordings, as in &profil_profile.everybody
 *
 * There is rarely more than one system-wide recording, so this counts them and does not search.
 *
 * Context: Any.
 * Return: true if it does; false if it does not, and always if there are several recordings.
 */
static inline bool profil_everybody_met(u32 met)
{
	return atomic64_read(&profil_recordings) >> PROFIL_EVERYBODY_SHIFT <= !!met;
}

#define PROFIL_BINDING_BITS	12
/* Flags in the low bits of a key, which are 0 in the address of an mm. */
#define PROFIL_KEY_THREAD	1UL
#define PROFIL_KEY_OWNED	2UL
#define PROFIL_KEY_MORE		4UL
#define PROFIL_KEY_EVENT	8UL
/* Limits for one address space: bindings to all of it, and to single threads. */
#define PROFIL_BINDINGS_MAX	8
#define PROFIL_THREADS_MAX	64
/*
 * Limits for one bucket: bindings of privileged profiles, and as many of unprivileged ones, because
 * a tick, or a fork with interrupts off, may walk past all of them; and bindings of one
 * unprivileged user, for two address spaces, because two may share a bucket by chance.
 */
#define PROFIL_CHAIN_MAX	256
#define PROFIL_CHAIN_USER_MAX	(2 * (PROFIL_BINDINGS_MAX + PROFIL_THREADS_MAX))

/**
 * struct profil_binding - ties a profile to an address space
 * @node: in the table, which the tick reads under RCU
 * @key: the address @mm with flags, as the tick compares it.
 *	PROFIL_KEY_OWNED: a recording's binding, so ticks count by file, for @owned.
 *	PROFIL_KEY_THREAD, only with OWNED: only @thread is sampled.
 *	PROFIL_KEY_EVENT, only with OWNED: its ticks are those of an event, not of the clock.
 *	PROFIL_KEY_MORE: @mm may be missing from another, system-wide recording.
 * @thread: the only thread that is sampled, referenced; NULL: all threads
 * @process: in a system-wide recording, the process that @owned stands for, referenced.  Once it
 *	has left @mm, another process that shares @mm gets a binding.  Else NULL
 * @mm: the address space; grabbed, so that its address is not reused
 * @profile: the profile that its ticks count for, referenced
 * @link: in the profile's list; empty once the binding is removed
 * @free: frees it a grace period after it was removed
 * @freed_next: the next binding to free with this one, or NULL: see profil_binding_remove()
 * @owned: in a recording, the owner of its ticks
 * @life: in a recording, the number of the address space
 * @share: the share that @hits count for
 * @hits: the cached lookups of the address space; NULL until the first lookup, and set once
 *
 * @node and PROFIL_KEY_MORE change under the lock of the binding's bucket, @link under that lock
 * and the profile's bindings_lock.  A lookup sets @hits and then @share, under RCU, and
 * profil_binding_remove() @freed_next.
 * The rest is constant once the binding is in the table.
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
	struct pid *process;
	struct profil_owned owned;
	u32 share;
	u64 life;
	struct profil_hits *hits;
};

extern struct profil_bucket profil_bindings[1 << PROFIL_BINDING_BITS];

/*
 * The buckets that the sweep looks at.  A bit is set, under its bucket's lock, before a binding is
 * added, and cleared by a sweep that finds no binding.
 */
extern DECLARE_BITMAP(profil_bindings_used, 1 << PROFIL_BINDING_BITS);

/* Random, so that no user can make other users' bindings share a bucket. */
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
 * For the probe on sched_switch, which looks at each task: the number of bindings to address
 * spaces with the same cheap hash.  The hash's factor is random and odd.
 */
extern u64 profil_binding_factor;
extern atomic_t profil_binding_filter[1 << PROFIL_BINDING_BITS];

static inline atomic_t *profil_binding_sieve(const struct mm_struct *mm)
{
	u64 hash = (uintptr_t)mm * profil_binding_factor;

	return &profil_binding_filter[hash >> (64 - PROFIL_BINDING_BITS)];
}

/* Return: false only if @mm is certainly not profiled: other mms may have the same hash. */
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
int profil_binding_publish(struct profil_binding *binding);
struct profil_profile *profil_binding_self(struct mm_struct *mm);
bool profil_binding_full(const struct profil_profile *profile, unsigned int count);
void profil_binding_remove(struct profil_binding *binding, struct profil_binding **removed);
void profil_bindings_remove(struct profil_profile *profile);
void profil_binding_drop(struct profil_binding *binding);
unsigned int profil_bindings_count(void);

/*
 * The table of watches: which processes are followed, and by which recordings.
 */

#define PROFIL_WATCH_BITS	12

/**
 * struct profil_watch - a process that a recording follows
 * @node: in the table of watches, by @pid, until @until, or until the process is no longer
 *	followed; ticks read it under RCU
 * @link: in the recording's list @watches, or in @left once the process has ended
 * @profile: the profile that the process's ticks count for, referenced
 * @pid: the process's thread group, referenced
 * @owned: the owner of the process's ticks
 * @until: time in jiffies until which ticks may find the watch of a process that has ended;
 *	0: the process has not ended
 * @rcu: frees it
 *
 * @node changes under the lock of the watch's bucket, @link and @until also under the recording's
 * lock.  A watch is freed when ticks no longer need to find it, or once the recording has ended.
 */
struct profil_watch {
	struct hlist_node node;
	struct list_head link;
	struct profil_profile *profile;
	struct pid *pid;
	struct profil_owned owned;
	unsigned long until;
	struct rcu_head rcu;
};

extern struct profil_bucket profil_watches[1 << PROFIL_WATCH_BITS];

static inline struct profil_bucket *profil_watch_bucket(const struct pid *pid)
{
	u64 hash = siphash_1u64((uintptr_t)pid, &profil_binding_key);

	return &profil_watches[hash >> (64 - PROFIL_WATCH_BITS)];
}

/**
 * profil_watched_owner() - the owner of a process's ticks, by its watch
 * @profile: a recording's profile
 * @pid: the process's thread group; NULL if it was reaped
 *
 * Context: Any, under RCU.
 * Return: the owner; number 0 if there is no watch.
 */
static inline struct profil_owned profil_watched_owner(const struct profil_profile *profile,
						       const struct pid *pid)
{
	struct profil_watch *watch;

	if (pid)
		hlist_for_each_entry_rcu(watch, &profil_watch_bucket(pid)->chain, node)
			if (watch->pid == pid && watch->profile == profile)
				return profil_owned_read(&watch->owned);
	return (struct profil_owned) {};
}

/*
 * Return: true if a bucket has watches.  Read without the lock: a watch that this misses was added
 * after the fork, exec or exit.
 */
static inline bool profil_watched(const struct profil_bucket *bucket)
{
	return !hlist_empty(&bucket->chain);
}

#endif /* PROFIL_BINDING_H */
