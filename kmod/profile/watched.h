/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of watches: which processes are followed, and by which sessions.
 *
 * Context: any
 */
#ifndef PROFIL_WATCHED_H
#define PROFIL_WATCHED_H

#include "base/bucket.h"
#include "profile/binding.h"
#include "profile/owned.h"

#include <linux/list.h>
#include <linux/rculist.h>
#include <linux/siphash.h>
#include <linux/types.h>

struct pid;
struct profil_follower;
struct profil_profile;

#define PROFIL_WATCH_BITS	12

/**
 * struct profil_watch - a process that a session follows
 * @node: in the table of watches, by @pid, until the process, or following it, ends; ticks
 *	read it under RCU
 * @link: in its profile's list
 * @follower: of the session that follows it; outlives its watches
 * @profile: the profile that its ticks count for, referenced
 * @pid: its thread group, referenced
 * @owned: the owner of its ticks
 * @left: in the follower's list of processes that have ended, which ticks may still find, or that
 *	it follows no longer
 * @until: how long, in jiffies
 * @rcu: frees it
 *
 * @node changes under the lock of its bucket and @follower's, the lists under @follower's.  A watch
 * is freed when ticks no longer need to find it, or with its profile or session.
 */
struct profil_watch {
	struct hlist_node node;
	struct list_head link;
	struct profil_follower *follower;
	struct profil_profile *profile;
	struct pid *pid;
	struct profil_owned owned;
	struct list_head left;
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
 * @profile: of a recording
 * @pid: its thread group; NULL: it was reaped
 *
 * Context: Any, with preemption off.
 * Return: its owner; number 0 without a watch.
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

/* Without the lock: a watch that is missed here was added after the event. */
static inline bool profil_watched(const struct profil_bucket *bucket)
{
	return !hlist_empty(&bucket->chain);
}

#endif /* PROFIL_WATCHED_H */
