// SPDX-License-Identifier: GPL-2.0-only
/*
 * A pool: memory for the probes, which cannot allocate.
 *
 * Context: tracepoint probe
 */
#include "base/base.h"

#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/slab.h>

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
