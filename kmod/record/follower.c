// SPDX-License-Identifier: GPL-2.0-only
/*
 * A follower: the part of a session that follows processes.
 *
 * Context: process
 */
#include "record/record.h"

#include "base/limits.h"

#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/memcontrol.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

/* Nodes to begin with, if only execs or also forks are followed; when full; refill below. */
#define POOL_EXECS	8
#define POOL_START	64
#define POOL_SIZE	512
#define FILL_BELOW	256
/* After this, a worker that found no memory, or another worker reclaiming, tries again. */
#define FILL_AGAIN	(HZ / 4)
/*
 * This many are for probes alone, as a tick can ask again.  It is less than POOL_START and
 * FILL_BELOW, so that the work fills the pool before ticks find no memory.
 */
#define POOL_PROBES	48

static void profil_follower_wake(struct irq_work *work)
{
	wake_up_interruptible(&container_of(work, struct profil_follower, wake)->wait);
}

/* Allocates at the expense of the session's opener. */
static void profil_follower_fill_work(struct work_struct *work)
{
	struct profil_follower *follower = container_of(to_delayed_work(work),
							struct profil_follower, fill);
	struct mem_cgroup *before;
	bool low;

	if (!atomic_read(&follower->live))
		return;
	before = set_active_memcg(follower->memcg);
	low = profil_pool_fill(&follower->pool, POOL_SIZE, PROFIL_GFP_AT_ONCE) &&
	      atomic_read(&follower->pool.filled) < FILL_BELOW;
	if (low && profil_user_reclaim(follower->user)) {
		profil_pool_fill(&follower->pool, FILL_BELOW, PROFIL_GFP_SPARING);
		profil_user_reclaimed(follower->user);
	}
	set_active_memcg(before);
	/* Until then the work is pending, so that asking for memory does not queue it. */
	if (low)
		mod_delayed_work(profil_user_wq, &follower->fill, FILL_AGAIN);
}

static void profil_follower_leave_work(struct work_struct *work)
{
	profil_watches_leave(container_of(to_delayed_work(work), struct profil_follower, leave));
}

/**
 * profil_follower_init() - initialise the follower of a session
 * @follower: zeroed memory
 *
 * Context: Process context, may sleep; current opens the session.
 * Return: 0 or -ENOMEM.
 */
int profil_follower_init(struct profil_follower *follower)
{
	follower->user = profil_user_get();
	if (!follower->user)
		return -ENOMEM;
	follower->ns = get_pid_ns(task_active_pid_ns(current));
	follower->memcg = get_mem_cgroup_from_mm(current->mm);
	raw_spin_lock_init(&follower->lock);
	INIT_DELAYED_WORK(&follower->fill, profil_follower_fill_work);
	INIT_LIST_HEAD(&follower->left);
	INIT_DELAYED_WORK(&follower->leave, profil_follower_leave_work);
	init_waitqueue_head(&follower->wait);
	init_irq_work(&follower->wake, profil_follower_wake);
	profil_news_init(&follower->news, &follower->wake);
	return 0;
}

/**
 * profil_follower_exit() - undo profil_follower_init()
 * @follower: it follows nothing any more
 *
 * Context: Process context, may sleep.
 */
void profil_follower_exit(struct profil_follower *follower)
{
	/* Most files are opened for a self profile alone. */
	if (follower->prepared) {
		cancel_delayed_work_sync(&follower->fill);
		cancel_delayed_work_sync(&follower->leave);
		irq_work_sync(&follower->wake);
	}
	profil_pool_empty(&follower->pool);
	mem_cgroup_put(follower->memcg);
	put_pid_ns(follower->ns);
	profil_user_put(follower->user);
}

static void profil_follower_refill(struct profil_follower *follower)
{
	if (atomic_read(&follower->live))
		queue_delayed_work(profil_user_wq, &follower->fill, 0);
}

/**
 * profil_follower_join() - let a profile follow processes, until it is over
 * @follower: of its session, prepared
 * @profile: known only to the caller
 *
 * Context: Process context.
 */
void profil_follower_join(struct profil_follower *follower, struct profil_profile *profile)
{
	profile->follower = follower;
	atomic_inc(&follower->live);
	/* Others may have emptied the pool since.  If a take misses @live, the next one sees it. */
	if (atomic_read(&follower->pool.filled) < POOL_EXECS)
		profil_follower_refill(follower);
}

/**
 * profil_follower_prepare() - allocate memory for the first execs and forks
 * @follower: of current's session
 * @forks: forks are followed, too
 *
 * Context: Process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int profil_follower_prepare(struct profil_follower *follower, bool forks)
{
	WRITE_ONCE(follower->prepared, true);
	return profil_pool_fill(&follower->pool, forks ? POOL_START : POOL_EXECS,
				GFP_KERNEL_ACCOUNT);
}

/**
 * profil_follower_take() - take memory for a binding or watch of a child
 * @follower: of the session that follows its parent
 *
 * Context: Any; interrupts are off.
 * Return: PROFIL_NODE_SIZE bytes, to be freed with kfree(), or NULL.
 */
void *profil_follower_take(struct profil_follower *follower)
{
	void *node;

	raw_spin_lock(&follower->lock);
	node = profil_pool_take(&follower->pool);
	raw_spin_unlock(&follower->lock);
	if (atomic_read(&follower->pool.filled) < FILL_BELOW)
		profil_follower_refill(follower);
	if (!node)
		atomic64_inc(&profil_totals.pool_empty);
	return node;
}

/**
 * profil_follower_spare() - take memory for a tick, if probes do not need it
 * @follower: of the session that records
 *
 * Context: Any.
 * Return: PROFIL_NODE_SIZE bytes of zero, to be freed with kfree(), or NULL.
 */
void *profil_follower_spare(struct profil_follower *follower)
{
	unsigned long flags;
	void *node = NULL;

	local_irq_save(flags);
	if (atomic_read(&follower->pool.filled) > POOL_PROBES)
		node = profil_follower_take(follower);
	else
		profil_follower_refill(follower);
	local_irq_restore(flags);
	return node;
}
