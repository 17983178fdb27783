// SPDX-License-Identifier: GPL-2.0-only
/*
 * Small helpers that every floor uses and that are not inline: the workqueues, the wait for all
 * sections, the lookup of tracepoints, the shortest period, the choice of the CPUs that tick, hash
 * buckets with a lock each, and pools of memory for the probes, which cannot allocate.
 *
 * Context: process, except functions that say otherwise
 */
#include "base/base.h"

#include "compat.h"

#include <linux/bottom_half.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/lockdep.h>
#include <linux/magic.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/isolation.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/user_namespace.h>

DEFINE_PER_CPU(unsigned long, profil_section);

struct workqueue_struct *profil_wq, *profil_user_wq;

/**
 * profil_work_init() - create the workqueues
 *
 * Context: Process context.
 * Return: 0 or -ENOMEM.
 */
int profil_work_init(void)
{
	profil_wq = alloc_workqueue("profil", WQ_UNBOUND, 0);
	profil_user_wq = alloc_workqueue("profil_user", WQ_UNBOUND, 0);
	if (profil_wq && profil_user_wq)
		return 0;
	profil_work_exit();
	return -ENOMEM;
}

/**
 * profil_work_exit() - undo profil_work_init()
 *
 * Context: Process context; waits for the work that is left.
 */
void profil_work_exit(void)
{
	if (profil_user_wq)
		destroy_workqueue(profil_user_wq);
	if (profil_wq)
		destroy_workqueue(profil_wq);
}

/**
 * profil_file_put() - drop a reference to a file of a program that is, or was, recorded
 * @file: the file; or NULL
 *
 * If it is the last reference, a FUSE file system may ask its server before the file is closed,
 * and wait for ever.  The reader of a recording must not wait: while softirqs are off, fput()
 * leaves closing to the kernel's own work item.
 *
 * Context: Process context, does not sleep.
 */
void profil_file_put(struct file *file)
{
	if (!file)
		return;
	if (file_inode(file)->i_sb->s_magic == FUSE_SUPER_MAGIC ||
	    profil_path_in_user_ns(profil_user_path(file))) {
		local_bh_disable();
		fput(file);
		local_bh_enable();
	} else {
		fput(file);
	}
}

/**
 * profil_sections_settle() - wait for the sections that are running
 *
 * Ticks and deferred ticks are counted in sections.  Once this returns, no section can reach
 * anything that the caller unpublished before the call.  Pairs with profil_section_enter(), and
 * with rcu_dereference_sched() in the sections.
 *
 * Context: Process context.
 */
void profil_sections_settle(void)
{
	unsigned int cpu;

	/* Orders the caller's unpublishing before the reads of section numbers. */
	smp_mb();
	for_each_possible_cpu(cpu)
		profil_section_settled(cpu);
}

struct search {
	const char *name;
	struct tracepoint *found;
};

static void profil_tracepoint_compare(struct tracepoint *point, void *data)
{
	struct search *search = data;

	if (!strcmp(point->name, search->name))
		search->found = point;
}

/**
 * profil_tracepoint_find() - look up a tracepoint
 * @name: its name
 *
 * Context: Process context, may sleep.
 * Return: the tracepoint, or NULL if the kernel does not have it.
 */
struct tracepoint *profil_tracepoint_find(const char *name)
{
	struct search search = { .name = name };

	for_each_kernel_tracepoint(profil_tracepoint_compare, &search);
	return search.found;
}

u32 profil_clock_number;

static unsigned int max_rate = 50000;
module_param(max_rate, uint, 0644);
MODULE_PARM_DESC(max_rate, "upper rate of a profile, in Hz");

static unsigned int max_user_rate = 1024;
module_param(max_user_rate, uint, 0644);
MODULE_PARM_DESC(max_user_rate, "upper rate of a profile without CAP_PERFMON, in Hz");

static bool isolated_cpus;
module_param(isolated_cpus, bool, 0444);
MODULE_PARM_DESC(isolated_cpus, "tick also on CPUs that are isolated from housekeeping");

/**
 * profil_period_min() - the shortest period that a profile may request
 * @privileged: for users with CAP_PERFMON, who may always use the periods of other users
 *
 * Context: Process context.
 * Return: the period, in ns.
 */
u64 profil_period_min(bool privileged)
{
	unsigned int all = READ_ONCE(max_rate), user = READ_ONCE(max_user_rate);
	unsigned int rate = privileged ? all : min(all, user);

	return max_t(u64, div_u64(NSEC_PER_SEC, max(rate, 1U)), PROFIL_CLOCK_MIN);
}

/**
 * profil_clock_wants_cpu() - should a CPU have ticks, of the clock or of events?
 * @cpu: its number
 *
 * Context: Any.
 * Return: false if isolated_cpus is off and the CPU is isolated, which a cpuset may change at any
 * time.
 */
bool profil_clock_wants_cpu(unsigned int cpu)
{
	bool housekeeping;

	/* Since 7.0 a housekeeping mask may be replaced at any time. */
	rcu_read_lock();
	housekeeping = housekeeping_test_cpu(cpu, HK_TYPE_TICK) &&
		       housekeeping_test_cpu(cpu, HK_TYPE_DOMAIN);
	rcu_read_unlock();
	return housekeeping || isolated_cpus;
}

/**
 * profil_buckets_init() - initialise a hash table
 * @table: its buckets, all zero
 * @nr: number of buckets
 * @key: lock class of the buckets
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
 * @a: as for profil_buckets_lock()
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
 * profil_buckets_longest() - find the longest chain of a hash table
 * @table: its buckets
 * @nr: number of buckets
 *
 * Context: Process context.
 * Return: the length of that chain, which a tick may have to walk.
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

/**
 * profil_alloc() - allocate memory on behalf of the user who profiles
 * @bytes: size of the memory
 * @gfp: GFP_KERNEL_ACCOUNT if current is that user; else PROFIL_GFP_SPARING or PROFIL_GFP_AT_ONCE
 *
 * If a charged cgroup is above its memory.high, the kernel makes current reclaim memory before it
 * returns to user mode.  This function undoes that unless current is the user who profiles:
 * current may be a recorded process that had a tick, or a worker.
 *
 * Context: Process context, may sleep; unless current pays, the payer's memory cgroup is active.
 * Return: zeroed memory, to be freed with kfree(), or NULL.
 */
void *profil_alloc(size_t bytes, gfp_t gfp)
{
#ifdef CONFIG_MEMCG
	unsigned int over = current->memcg_nr_pages_over_high;
#endif
	void *memory = kzalloc(bytes, gfp);

#ifdef CONFIG_MEMCG
	if (gfp != GFP_KERNEL_ACCOUNT)
		current->memcg_nr_pages_over_high = min(current->memcg_nr_pages_over_high, over);
#endif
	return memory;
}

/**
 * profil_pool_give() - add a node to a pool
 * @pool: the pool
 * @node: zeroed memory from kmalloc(), new or unused
 *
 * Context: Any.
 */
void profil_pool_give(struct profil_pool *pool, void *node)
{
	llist_add(node, &pool->nodes);
	atomic_inc(&pool->filled);
}

/**
 * profil_pool_fill() - fill a pool
 * @pool: the pool; new nodes are charged to the active memory cgroup, if any, or to current's
 * @nodes: number of nodes that it should have
 * @bytes: size of a node, the same for all nodes of a pool
 * @gfp: as for profil_alloc()
 *
 * Context: Process context, may sleep.
 * Return: 0, or -ENOMEM with the pool filled in part.
 */
int profil_pool_fill(struct profil_pool *pool, int nodes, size_t bytes, gfp_t gfp)
{
	void *node;

	while (atomic_read(&pool->filled) < nodes) {
		node = profil_alloc(bytes, gfp);
		if (!node)
			return -ENOMEM;
		profil_pool_give(pool, node);
	}
	return 0;
}

/**
 * profil_pool_empty() - free all nodes of a pool
 * @pool: the pool, which is no longer filled or taken from
 *
 * Context: Process context.
 */
void profil_pool_empty(struct profil_pool *pool)
{
	struct llist_node *next, *node = llist_del_all(&pool->nodes);

	atomic_set(&pool->filled, 0);
	for (; node; node = next) {
		next = node->next;
		kfree(node);
	}
}
