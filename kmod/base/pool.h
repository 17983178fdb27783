/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A pool: memory for the probes, which cannot allocate.
 *
 * Each session, and each self profile that forks inherit, has its own, so that a storm
 * of forks of one user loses no children of another's.
 *
 * Context: any
 */
#ifndef PROFIL_POOL_H
#define PROFIL_POOL_H

#include <linux/atomic.h>
#include <linux/llist.h>
#include <linux/types.h>

/* Bytes of a node: enough for whatever a probe makes of it, debug kernels' fields included. */
#ifdef CONFIG_LOCKDEP
#define PROFIL_NODE_SIZE	320
#else
#define PROFIL_NODE_SIZE	192
#endif

/* For profil_alloc(): another user's task, or a worker, does not reclaim for long, or kill. */
#define PROFIL_GFP_SPARING	(GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN)
/* The same where others wait: does not reclaim at all. */
#define PROFIL_GFP_AT_ONCE	(GFP_NOWAIT | __GFP_ACCOUNT | __GFP_NOWARN)

/**
 * struct profil_pool - memory for the probes
 * @nodes: of PROFIL_NODE_SIZE bytes each
 * @filled: how many
 *
 * All zero is an empty pool.
 */
struct profil_pool {
	struct llist_head nodes;
	atomic_t filled;
};

void *profil_alloc(size_t bytes, gfp_t gfp);
int profil_pool_fill(struct profil_pool *pool, int nodes, gfp_t gfp);
void profil_pool_give(struct profil_pool *pool, void *node);
void *profil_pool_take(struct profil_pool *pool);
void profil_pool_empty(struct profil_pool *pool);

#endif /* PROFIL_POOL_H */
