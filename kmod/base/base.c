// SPDX-License-Identifier: GPL-2.0-only
/*
 * The small things that every floor uses, as far as they are not inline: the workqueues, the wait
 * for all sections, tracepoints by name; how often a profile may tick, and on which CPUs; buckets
 * of hash tables, each with its own lock; and pools, memory for the probes, which cannot allocate.
 *
 * Context: process, except functions that say otherwise
 */
#include "base/base.h"

#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
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

DEFINE_PER_CPU(unsigned long, profil_section);

struct workqueue_struct *profil_wq, *profil_user_wq;

/**
 * profil_work_init() - make the workqueues
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
 * Context: Process context; waits for the works that are left.
 */
void profil_work_exit(void)
{
	if (profil_user_wq)
		destroy_workqueue(profil_user_wq);
	if (profil_wq)
		destroy_workqueue(profil_wq);
}

/**
 * profil_sections_settle() - wait for the sections that run now
 *
 * Ticks are counted in sections, and so are deferred ticks.  A section that begins later no longer
 * finds what the caller has unpublished.  Pairs with profil_section_enter(), and with the
 * rcu_dereference_sched() of sample.c, record.c and count.c.
 *
 * Context: Process context.
 */
void profil_sections_settle(void)
{
	unsigned int cpu;

	/* Orders the caller's unpublishing before the look at each CPU. */
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
 * profil_period_min() - the shortest period that may be asked for
 * @privileged: with CAP_PERFMON; it is no longer than without
 *
 * Context: Process context.
 * Return: ns.
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
 * Return: false if it is isolated (a cpuset may change that at any time) and isolated_cpus is off.
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

/**
 * profil_alloc() - allocate memory on behalf of the user who profiles
 * @bytes: how much
 * @gfp: PROFIL_GFP_SPARING or PROFIL_GFP_AT_ONCE; GFP_KERNEL_ACCOUNT if that is current
 *
 * If a cgroup that is charged for it is over its memory.high, the kernel has current reclaim
 * memory before it goes back to user mode.  That is undone unless current profiles: it may be
 * a process that had a tick, or a worker.
 *
 * Context: Process context, may sleep; unless current pays, the paying memory cgroup is active.
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
 * profil_pool_give() - put a node into a pool
 * @pool: the pool
 * @node: zeroed memory of kmalloc(): new, or not needed after all
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
 * @pool: of current, or of the active memory cgroup: its nodes are charged there
 * @nodes: how many it is to have
 * @bytes: of each, the same for all nodes of a pool
 * @gfp: how they are allocated
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
		/* It is counted only once it is in the pool. */
		profil_pool_give(pool, node);
	}
	return 0;
}

/**
 * profil_pool_take() - take a node from a pool
 * @pool: no other task takes from it at the same time
 *
 * Context: Any.
 * Return: zeroed memory, to be freed with kfree(), or NULL.
 */
void *profil_pool_take(struct profil_pool *pool)
{
	struct llist_node *node = llist_del_first(&pool->nodes);

	if (!node)
		return NULL;
	atomic_dec(&pool->filled);
	node->next = NULL;
	return node;
}

/**
 * profil_pool_empty() - free all nodes of a pool
 * @pool: it is no longer filled or taken from
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
