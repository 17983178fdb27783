// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pool of a recording: memory for the probes that follow its processes, and for lookups after
 * a tick, because the task that had the tick must not reclaim memory for others.
 *
 * Context: tracepoint probe
 */
#include "record/record.h"

#include "base/limits.h"

#include <linux/memcontrol.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

/*
 * Numbers of nodes: in a new pool, if only execs are followed (the first entries take six nodes);
 * in a new pool, if forks are followed, too; in a full pool; the number below which a pool is
 * filled again; and the number below which the worker may reclaim memory for that.
 */
#define POOL_EXECS	14
#define POOL_START	70
#define POOL_SIZE	512
#define FILL_BELOW	416
#define RECLAIM_BELOW	256
/* A worker that finds no memory, or another worker reclaiming, tries again after this. */
#define FILL_AGAIN	(HZ / 4)

/*
 * There are new nodes.  What a share has taken is forgotten only once the pool is full: as long as
 * memory is short, whoever has taken much gets no more.  Context: Any but hard interrupt.
 */
static void profil_recording_filled(struct profil_recording *recording, bool full)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&recording->lock, flags);
	if (full)
		recording->taken = (struct profil_shares) {};
	recording->taken.limit = recording->taken.sum + atomic_read(&recording->pool.filled);
	raw_spin_unlock_irqrestore(&recording->lock, flags);
}

/* Fill a pool at the recorder's expense.  Context: Process. */
static void profil_recording_fill_work(struct work_struct *work)
{
	struct profil_recording *recording = container_of(to_delayed_work(work),
							  struct profil_recording, fill);
	struct mem_cgroup *before;
	bool full, low;

	if (READ_ONCE(recording->ended))
		return;
	before = set_active_memcg(recording->memcg);
	full = !profil_pool_fill(&recording->pool, POOL_SIZE, PROFIL_NODE_SIZE,
				 PROFIL_GFP_AT_ONCE);
	low = !full && atomic_read(&recording->pool.filled) < RECLAIM_BELOW;
	if (low && profil_user_reclaim(recording->user)) {
		profil_pool_fill(&recording->pool, RECLAIM_BELOW, PROFIL_NODE_SIZE,
				 PROFIL_GFP_SPARING);
		profil_user_reclaimed(recording->user);
	}
	set_active_memcg(before);
	profil_recording_filled(recording, full);
	/* If the recording has ended meanwhile, free the nodes, for which no user is charged. */
	if (READ_ONCE(recording->ended)) {
		profil_recording_drain(recording);
		return;
	}
	/* The work is pending until then, so requests for memory do not queue it earlier. */
	if (low)
		mod_delayed_work(profil_user_wq, &recording->fill, FILL_AGAIN);
}

/**
 * profil_recording_fill() - allocate memory for the first entries, execs and forks
 * @recording: known only to the caller
 * @forks: forks are followed, too
 *
 * Context: Process context, may sleep; current pays for it.
 * Return: 0 or -ENOMEM.
 */
int profil_recording_fill(struct profil_recording *recording, bool forks)
{
	int err;

	INIT_DELAYED_WORK(&recording->fill, profil_recording_fill_work);
	err = profil_pool_fill(&recording->pool, forks ? POOL_START : POOL_EXECS,
			       PROFIL_NODE_SIZE, GFP_KERNEL_ACCOUNT);
	profil_recording_filled(recording, true);
	return err;
}

/**
 * profil_recording_refill() - queue the work that fills the pool, if much of it was taken
 * @recording: the recording, referenced or found under RCU
 *
 * Context: Any but hard interrupt.
 */
void profil_recording_refill(struct profil_recording *recording)
{
	if (!READ_ONCE(recording->ended) && atomic_read(&recording->pool.filled) < FILL_BELOW)
		queue_delayed_work(profil_user_wq, &recording->fill, 0);
}

/**
 * profil_recording_take() - take memory for a binding, a watch or an entry
 * @recording: as for profil_recording_refill()
 * @payer: profil_payer() of the task that it is for
 * @keep: number of nodes to leave for others
 *
 * Context: Any but hard interrupt.
 * Return: as profil_recording_node().
 */
void *profil_recording_take(struct profil_recording *recording, unsigned long payer, int keep)
{
	u32 share = profil_recording_share(recording, payer);
	unsigned long flags;
	void *node;

	raw_spin_lock_irqsave(&recording->lock, flags);
	node = profil_recording_node(recording, share, keep);
	raw_spin_unlock_irqrestore(&recording->lock, flags);
	profil_recording_refill(recording);
	if (!node && !keep && !READ_ONCE(recording->ended)) {
		atomic64_inc(&profil_totals.pool_empty);
		/* The pool may have nodes, but none for this share until it is filled again. */
		queue_delayed_work(profil_user_wq, &recording->fill, 0);
	}
	return node;
}

/**
 * profil_meet_alloc() - allocate memory for a lookup after a tick
 * @profile: the profile of a recording, whose memory cgroup is active
 * @bytes: size of the memory
 * @payer: profil_payer() of the task that had the tick
 *
 * In a system-wide recording, only the work that fills the pool reclaims memory, and no task does.
 * The work item that all recordings share (record/unmet.c) does not reclaim either.
 *
 * Context: Process context, may sleep.
 * Return: zeroed memory, to be freed with kfree(), or NULL.
 */
void *profil_meet_alloc(const struct profil_profile *profile, size_t bytes, unsigned long payer)
{
	bool at_once = profile->everybody || current->flags & PF_WQ_WORKER;
	void *memory = profil_alloc(bytes, at_once ? PROFIL_GFP_AT_ONCE : PROFIL_GFP_SPARING);

	if (memory || bytes > PROFIL_NODE_SIZE || !profile->everybody)
		return memory;
	return profil_recording_take(profile->recording, payer, PROFIL_POOL_PROBES);
}

/**
 * profil_meet_fill() - allocate memory for two entries: an owner or a cell, and its text
 * @profile: as for profil_meet_alloc()
 * @pool: receives the memory, if there is any; the caller empties the pool
 * @payer: as for profil_meet_alloc()
 *
 * Context: Process context, may sleep.
 */
void profil_meet_fill(const struct profil_profile *profile, struct profil_pool *pool,
		      unsigned long payer)
{
	unsigned int i;
	void *node;

	for (i = 0; i < 2; i++) {
		node = profil_meet_alloc(profile, sizeof(struct profil_entry), payer);
		if (node)
			profil_pool_give(pool, node);
	}
}
