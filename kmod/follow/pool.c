// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pool: memory for the probes, which cannot allocate.
 *
 * A work item fills it.  An empty pool is a counted loss.
 *
 * Context: tracepoint probe
 */
#include "follow/pool.h"

#include "profile/binding.h"
#include "profile/stats.h"
#include "profile/work.h"

#include <linux/atomic.h>
#include <linux/lockdep.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#define POOL_SIZE	512

/* Both are guarded by profil_bindings_lock. */
static void *pool[POOL_SIZE];
static unsigned int pool_filled;

/* Context: Process. */
static void profil_pool_fill_work(struct work_struct *work)
{
	profil_pool_fill();
}

static DECLARE_WORK(fill, profil_pool_fill_work);

/**
 * profil_pool_fill() - fill the pool of nodes
 *
 * Context: Process context, may sleep.
 * Return: 0, or -ENOMEM with the pool filled in part.
 */
int profil_pool_fill(void)
{
	unsigned long flags;
	void *node;

	while (READ_ONCE(pool_filled) < POOL_SIZE) {
		node = kmalloc(PROFIL_NODE_SIZE, GFP_KERNEL);
		if (!node)
			return -ENOMEM;
		raw_spin_lock_irqsave(&profil_bindings_lock, flags);
		if (pool_filled < POOL_SIZE) {
			pool[pool_filled] = node;
			WRITE_ONCE(pool_filled, pool_filled + 1);
			node = NULL;
		}
		raw_spin_unlock_irqrestore(&profil_bindings_lock, flags);
		kfree(node);
	}
	return 0;
}

/**
 * profil_pool_take() - take a node from the pool
 *
 * Context: Any; profil_bindings_lock is held.
 * Return: PROFIL_NODE_SIZE bytes, to be freed with kfree(), or NULL.
 */
void *profil_pool_take(void)
{
	void *node;

	lockdep_assert_held(&profil_bindings_lock);
	if (pool_filled <= POOL_SIZE / 2)
		queue_work(profil_wq, &fill);
	if (!pool_filled) {
		atomic64_inc(&profil_totals.pool_empty);
		return NULL;
	}
	WRITE_ONCE(pool_filled, pool_filled - 1);
	node = pool[pool_filled];
	memset(node, 0, PROFIL_NODE_SIZE);
	return node;
}

/**
 * profil_pool_exit() - free the pool
 *
 * Context: Process context; no probe is left to take from it.
 */
void profil_pool_exit(void)
{
	cancel_work_sync(&fill);
	while (pool_filled)
		kfree(pool[--pool_filled]);
}
