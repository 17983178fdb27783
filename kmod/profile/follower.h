/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A follower: what a session needs to follow processes.
 *
 * Context: tracepoint probe
 */
#ifndef PROFIL_FOLLOWER_H
#define PROFIL_FOLLOWER_H

#include "base/news.h"
#include "base/pool.h"

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/spinlock_types.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

struct mem_cgroup;
struct pid_namespace;
struct profil_user;

/**
 * struct profil_follower - the part of a session that follows processes
 * @lock: guards @left, taking from @pool, and watches, except for their place in the table.  Raw,
 *	because probes take it with preemption off
 * @user: the account of the user who opened the file, which is charged for watches:
 *	profil_watch_charge()
 * @ns: the PID namespace in which processes are reported: the opener's, referenced
 * @memcg: the opener's, which pays for @pool; referenced
 * @prepared: works may have been queued
 * @pool: memory for bindings and watches of children
 * @live: profiles of the session that are not over: @pool is filled only for them
 * @fill: fills @pool, and tries again later if it found no memory
 * @left: watches whose process has ended, which ticks may still find
 * @leave: takes them out of the table, and frees them
 * @wait: pollers
 * @wake: wakes them for the probes and ticks, which must not take a sleeping lock
 * @news: whether one of them waits for news of recordings
 */
struct profil_follower {
	raw_spinlock_t lock;	/* see the kernel-doc above */
	struct profil_user *user;
	struct pid_namespace *ns;
	struct mem_cgroup *memcg;
	bool prepared;
	struct profil_pool pool;
	atomic_t live;
	struct delayed_work fill;
	struct list_head left;
	struct delayed_work leave;
	wait_queue_head_t wait;
	struct irq_work wake;
	struct profil_news news;
};

#endif /* PROFIL_FOLLOWER_H */
