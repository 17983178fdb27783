/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Small helpers that every floor uses.
 *
 * Context: any
 */
#ifndef PROFIL_BASE_H
#define PROFIL_BASE_H

#include "base/arch.h"

#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mount.h>
#include <linux/path.h>
#include <linux/rbtree.h>
#include <linux/spinlock_types.h>
#include <linux/time64.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include <linux/workqueue.h>

struct file;
struct lock_class_key;
struct profil_source;
struct tracepoint;

/*
 * A profile's claim on its source of ticks: the clock, or an event.
 */

/**
 * struct profil_claim - a profile's claim on its source of ticks
 * @source: the event; NULL: the clock.  Constant once the profile is published
 * @period: the longest period that serves the profile, in ns or events
 * @privileged: the profile was made with CAP_PERFMON; constant
 * @interrupts: each tick comes in an interrupt of its own; false if ticks come in the code that
 *	causes the event.  Constant like @source
 * @inside: even if a tick has user-mode registers, its task may be in the kernel, and stay there
 *	indefinitely: the tick came at the entry of a system call or in a page fault, or its
 *	registers are those of an earlier instruction (precise events).  Constant like @source
 * @put: gives up the claim, and may be called again; NULL: there never was a claim
 * @node: links the claims on a source; guarded by profil_sources_lock.  Empty before the source is
 *	claimed, and once the claim is given up
 */
struct profil_claim {
	struct profil_source *source;
	u64 period;
	bool privileged;
	bool interrupts;
	bool inside;
	void (*put)(struct profil_claim *claim);
	struct rb_node node;
};

/**
 * profil_claim_put() - give up a claim
 * @claim: a profile's claim; no effect if it never was made, or has been given up
 *
 * Context: Process context, may sleep.
 */
static inline void profil_claim_put(struct profil_claim *claim)
{
	if (claim->put)
		claim->put(claim);
}

/*
 * The payer: the user, or user namespace, that waiting ticks count for, and what a recording shares
 * out (profile/shares.c).
 */

/* All kernel threads: users can have many made, and these run as root.  No address is so low. */
#define PROFIL_PAYER_KERNEL	2UL

/**
 * profil_payer() - identify the payer for current
 *
 * By the same rule as in base/limits.c, the owner of a user namespace pays for all its users; but
 * root pays for no other user, so a namespace that root owns pays for itself.  Kernel threads
 * together are one payer.
 *
 * Context: Any.
 * Return: a number that identifies the payer.
 */
static inline unsigned long profil_payer(void)
{
	/* The objective ones: a file system or io_uring may override the subjective ones. */
	const struct cred *cred = current_real_cred();
	const struct user_namespace *ns = cred->user_ns;
	kuid_t uid = cred->uid;

	if (current->flags & PF_KTHREAD)
		return PROFIL_PAYER_KERNEL;
	for (; ns->parent; ns = ns->parent) {
		if (uid_eq(ns->owner, GLOBAL_ROOT_UID))
			return (uintptr_t)ns;
		uid = ns->owner;
	}
	/* Odd, unlike any address. */
	return (unsigned long)__kuid_val(uid) << 1 | 1;
}

/*
 * The range of a profile's period, and the choice of the CPUs that tick.
 */

/* perf's hrtimer does not go below 10 us. */
#define PROFIL_CLOCK_MIN	10000
#define PROFIL_CLOCK_MAX	(3600ULL * NSEC_PER_SEC)

/* The clock in use, an &enum profil_clock; constant once the module is loaded. */
extern u32 profil_clock_number;

u64 profil_period_min(bool privileged);
bool profil_clock_wants_cpu(unsigned int cpu);

/*
 * Wake-ups for the reader of a session's recordings: PROFIL_WAIT.
 *
 * A tick whose key is already in the table wakes no reader, and does not look for one.
 */

/**
 * struct profil_news - the wake-up of a session's reader
 * @keys: number of new keys that wake the reader; 0: the wake-up has fired; below 0: the reader
 *	has never armed it
 * @wake: wakes the reader
 */
struct profil_news {
	atomic_t keys;
	struct irq_work wake;
};

/*
 * Users can mount file systems only in a user namespace of theirs, an overlay among them.  It
 * accesses its layers with the credentials of that user, and a layer may be in FUSE.
 */
static inline bool profil_path_in_user_ns(const struct path *path)
{
	return path->mnt->mnt_sb->s_user_ns != &init_user_ns;
}

/**
 * profil_news_init() - initialise a wake-up, not armed
 * @news: the wake-up of a new session
 * @wake: wakes the session's reader
 *
 * Context: Process context.
 */
static inline void profil_news_init(struct profil_news *news, void (*wake)(struct irq_work *))
{
	atomic_set(&news->keys, -1);
	init_irq_work(&news->wake, wake);
}

/**
 * profil_news_await() - arm the wake-up, which fires once
 * @news: the wake-up of the reader's session
 * @keys: fire after this many new keys, unless something else fires it first; above 0
 *
 * Context: Any.
 */
static inline void profil_news_await(struct profil_news *news, int keys)
{
	atomic_set(&news->keys, keys);
	/* Arm before the reader looks at the table: a tick claims an element, then reads @keys. */
	smp_mb();
}

/**
 * profil_news_told() - has the wake-up fired since it was armed?
 * @news: the wake-up of a session
 *
 * Context: Any.
 * Return: true if so.
 */
static inline bool profil_news_told(const struct profil_news *news)
{
	return !atomic_read(&news->keys);
}

/**
 * profil_news_tell() - wake the reader, if the wake-up is armed
 * @news: the wake-up of a session, which cannot end during the call
 *
 * Context: Any.
 */
static inline void profil_news_tell(struct profil_news *news)
{
	/* Read @keys after the change: the reader arms the wake-up, then looks for changes. */
	smp_mb();
	if (atomic_read(&news->keys) > 0 && atomic_xchg(&news->keys, 0) > 0)
		irq_work_queue(&news->wake);
}

/**
 * profil_news_key() - count a new key, and wake the reader once there are enough
 * @news: the wake-up of a session
 *
 * Context: Interrupts off, in a section, which the end of the session waits for.
 */
static inline void profil_news_key(struct profil_news *news)
{
	if (!atomic_dec_if_positive(&news->keys))
		irq_work_queue(&news->wake);
}

/*
 * A section: a stretch of a CPU's work on profiles, with interrupts off.
 *
 * Each CPU numbers its sections, and the number is odd inside a section.  So without
 * interrupting the CPU, others can wait for its current section, and can check that they
 * have read consistent values of data that sections write.
 */

DECLARE_PER_CPU(unsigned long, profil_section);

/**
 * profil_section_enter() - begin a section
 *
 * Context: Interrupts off; sections do not nest.
 */
static __always_inline void profil_section_enter(void)
{
	this_cpu_inc(profil_section);
	/*
	 * Pairs with smp_mb() in profil_sections_settle(): either that function sees the odd
	 * number, or this section no longer sees what was unpublished before.  Also orders
	 * the number before the section's writes, for profil_tally_sum().
	 */
	smp_mb();
}

/**
 * profil_section_leave() - end a section
 *
 * Context: Interrupts off.
 */
static __always_inline void profil_section_leave(void)
{
	/* A release; pairs with smp_cond_load_acquire() in profil_section_settled(). */
	profil_this_cpu_inc_release(&profil_section);
}

/**
 * profil_section_inside() - is this CPU in a section?
 *
 * Context: Interrupts off.
 * Return: true if it is; then another section must not be entered.
 */
static __always_inline bool profil_section_inside(void)
{
	return this_cpu_read(profil_section) & 1;
}

/**
 * profil_section_settled() - wait until a CPU is outside any section
 * @cpu: the CPU
 *
 * A section is short: it runs with interrupts off, and does a bounded amount of work.
 *
 * Context: Any but hard interrupt.
 * Return: its section number, which is even.
 */
static inline unsigned long profil_section_settled(unsigned int cpu)
{
	return smp_cond_load_acquire(per_cpu_ptr(&profil_section, cpu), !(VAL & 1));
}

/**
 * profil_section_changed() - has a CPU begun a section since profil_section_settled()?
 * @cpu: the CPU
 * @settled: the number that profil_section_settled() returned
 *
 * Context: Any.
 * Return: true if data read since then may be inconsistent.
 */
static inline bool profil_section_changed(unsigned int cpu, unsigned long settled)
{
	/* Orders the caller's reads before this one; pairs with profil_section_enter(). */
	smp_rmb();
	return READ_ONCE(*per_cpu_ptr(&profil_section, cpu)) != settled;
}

void profil_sections_settle(void);

/*
 * A pool: memory for code that cannot allocate, because it is a probe or holds a raw lock.
 *
 * Each recording, and each self profile that forked children inherit, has its own pool, so one
 * user's storm of forks cannot use up the memory for another user's children.
 */

/* Size of a node, in bytes: fits each structure that probes allocate, also in debug kernels. */
#ifdef CONFIG_LOCKDEP
#define PROFIL_NODE_SIZE	320
#else
#define PROFIL_NODE_SIZE	192
#endif

/* For profil_alloc() in another user's task or a worker: no long reclaim, and no OOM kill. */
#define PROFIL_GFP_SPARING	(GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN)
/* The same, in code that others wait for: no reclaim at all. */
#define PROFIL_GFP_AT_ONCE	(GFP_NOWAIT | __GFP_ACCOUNT | __GFP_NOWARN)

/**
 * struct profil_pool - memory for code that cannot allocate
 * @nodes: nodes of one size (for probes, PROFIL_NODE_SIZE), zeroed except for the link
 * @filled: number of nodes
 *
 * All zero is an empty pool.
 */
struct profil_pool {
	struct llist_head nodes;
	atomic_t filled;
};

void *profil_alloc(size_t bytes, gfp_t gfp);
int profil_pool_fill(struct profil_pool *pool, int nodes, size_t bytes, gfp_t gfp);
void profil_pool_give(struct profil_pool *pool, void *node);
void profil_pool_empty(struct profil_pool *pool);

/**
 * profil_pool_take() - take a node from a pool
 * @pool: the pool; the caller ensures that nothing else takes from it at the same time
 *
 * Context: Any.
 * Return: zeroed memory, to be freed with kfree(); NULL if the pool is empty.
 */
static inline void *profil_pool_take(struct profil_pool *pool)
{
	struct llist_node *node = llist_del_first(&pool->nodes);

	if (!node)
		return NULL;
	atomic_dec(&pool->filled);
	node->next = NULL;
	return node;
}

/*
 * A bucket of a hash table, with its own lock: a probe that holds the lock, with
 * interrupts off, delays only processes that share the bucket.
 */

/**
 * struct profil_bucket - a bucket of a hash table
 * @chain: the elements
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

/*
 * Looking up tracepoints by name, because their symbols are not exported.
 */

struct tracepoint *profil_tracepoint_find(const char *name);

/*
 * The module's own workqueues.
 */

/*
 * All deferred work runs here, except work that allocates at a user's expense.  Only work
 * on this queue drops the last reference to the module; unloading drains the queue.
 */
extern struct workqueue_struct *profil_wq;
/*
 * Work that allocates at a user's expense, which may take a long time if that user is at a limit.
 * So only one work item of each payer reclaims at a time.  The end of a recording waits for its own
 * work item.
 */
extern struct workqueue_struct *profil_user_wq;

void profil_file_put(struct file *file);
int profil_work_init(void);
void profil_work_exit(void);

#endif /* PROFIL_BASE_H */
