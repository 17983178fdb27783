// SPDX-License-Identifier: GPL-2.0-only
/*
 * Leaving the table of watches, some time after the exit.
 *
 * Context: process
 */
#include "record/record.h"

#include <linux/jiffies.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

/* In a storm of exits, the work runs once for all watches of this time, not once for each. */
#define LEAVE_TOGETHER	DIV_ROUND_UP(HZ, 20)

/* The first watch that has to leave, if its time is over; otherwise the work is queued for it. */
static struct profil_watch *profil_leave_first(struct profil_follower *follower)
{
	struct profil_watch *watch;
	long wait;

	lockdep_assert_held(&follower->lock);
	watch = list_first_entry_or_null(&follower->left, struct profil_watch, left);
	if (!watch)
		return NULL;
	wait = watch->until - jiffies;
	if (wait <= 0)
		return watch;
	queue_delayed_work(profil_wq, &follower->leave, max_t(long, wait, LEAVE_TOGETHER));
	return NULL;
}

/* Its process, referenced; NULL if there is none. */
static struct pid *profil_leave_pid(struct profil_follower *follower)
{
	struct profil_watch *watch;
	struct pid *pid = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&follower->lock, flags);
	watch = profil_leave_first(follower);
	if (watch)
		pid = get_pid(watch->pid);
	raw_spin_unlock_irqrestore(&follower->lock, flags);
	return pid;
}

/* Take it out of the table.  Return: the watch, to be freed; NULL if another task has done so. */
static struct profil_watch *profil_leave_locked(struct profil_follower *follower,
						const struct pid *pid)
{
	struct profil_watch *watch = profil_leave_first(follower);

	if (!watch || watch->pid != pid)
		return NULL;
	hlist_del_init_rcu(&watch->node);
	profil_watch_unlink(watch);
	return watch;
}

/**
 * profil_watches_leave() - forget processes that have ended
 * @follower: of a session
 *
 * Context: Process context.
 */
void profil_watches_leave(struct profil_follower *follower)
{
	struct profil_bucket *bucket;
	struct profil_watch *watch;
	unsigned long flags;
	struct pid *pid;

	while ((pid = profil_leave_pid(follower))) {
		bucket = profil_watch_bucket(pid);
		raw_spin_lock_irqsave(&bucket->lock, flags);
		raw_spin_lock(&follower->lock);
		watch = profil_leave_locked(follower, pid);
		raw_spin_unlock(&follower->lock);
		raw_spin_unlock_irqrestore(&bucket->lock, flags);
		put_pid(pid);
		if (watch) {
			profil_watch_uncharge(watch->profile);
			profil_watch_free(watch);
		}
		cond_resched();
	}
}
