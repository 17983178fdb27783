// SPDX-License-Identifier: GPL-2.0-only
/*
 * A watch: a process that a session follows.
 *
 * Context: tracepoint probe
 */
#include "follow/watch.h"

#include "profile/binding.h"
#include "profile/limits.h"
#include "profile/profile.h"
#include "profile/stats.h"
#include "profile/work.h"

#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/pid.h>
#include <linux/profil.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#define REMOVE_BATCH	64
#define FILL_BELOW	256
/* When ends that nobody has read are made small. */
#define KEEP_AFTER	DIV_ROUND_UP(HZ, 10)

struct hlist_head profil_watches[1 << PROFIL_WATCH_BITS];

/**
 * profil_watch_alloc() - allocate a watch
 *
 * Context: Process context, may sleep.
 * Return: zeroed memory for profil_watch_publish(), or NULL.
 */
struct profil_watch *profil_watch_alloc(void)
{
	return kzalloc(sizeof(struct profil_watch), GFP_KERNEL_ACCOUNT);
}

/**
 * profil_watch_note() - note an event, to be reported
 * @watch: of the process that the event is about
 * @what: &enum profil_event_bit
 *
 * Context: Any; profil_bindings_lock is held.
 */
void profil_watch_note(struct profil_watch *watch, u32 what)
{
	struct profil_follower *follower = watch->follower;

	lockdep_assert_held(&profil_bindings_lock);
	watch->report.event.what |= what;
	if (list_empty(&watch->report.pending))
		list_add_tail(&watch->report.pending, &follower->pending);
	if (what & PROFIL_EVENT_EXIT && list_empty(&watch->ended)) {
		list_add_tail(&watch->ended, &follower->ended);
		queue_delayed_work(profil_user_wq, &follower->keep, KEEP_AFTER);
	}
	irq_work_queue(&follower->wake);
}

/**
 * profil_watch_end() - stop following a process, and report that as its end
 * @watch: of the process
 *
 * Context: Any; profil_bindings_lock is held.
 */
void profil_watch_end(struct profil_watch *watch)
{
	hlist_del_init(&watch->node);
	profil_watch_note(watch, PROFIL_EVENT_EXIT);
}

/**
 * profil_watch_add() - follow a process
 * @watch: zeroed memory
 * @follower: of the session that follows, already charged for the watch
 * @profile: the profile that the process's ticks count for
 * @pid: its thread group
 *
 * Context: Any; profil_bindings_lock is held.
 */
void profil_watch_add(struct profil_watch *watch, struct profil_follower *follower,
		      struct profil_profile *profile, struct pid *pid)
{
	lockdep_assert_held(&profil_bindings_lock);
	kref_get(&profile->refs);
	watch->profile = profile;
	watch->follower = follower;
	watch->pid = get_pid(pid);
	INIT_LIST_HEAD(&watch->report.pending);
	INIT_LIST_HEAD(&watch->ended);
	list_add_tail(&watch->link, &profile->watches);
	hlist_add_head(&watch->node, profil_watch_bucket(pid));
}

/**
 * profil_watch_unlink() - take a watch out of all lists
 * @watch: the caller frees it
 *
 * Lookups are under the lock, so nothing else uses it any more.
 *
 * Context: Any; profil_bindings_lock is held.
 */
void profil_watch_unlink(struct profil_watch *watch)
{
	lockdep_assert_held(&profil_bindings_lock);
	hlist_del_init(&watch->node);
	list_del(&watch->link);
	list_del(&watch->ended);
	list_del(&watch->report.pending);
}

/**
 * profil_watch_free() - free a watch
 * @watch: unlinked; its charge is left to the caller
 *
 * Context: Process context.
 */
void profil_watch_free(struct profil_watch *watch)
{
	put_pid(watch->pid);
	put_pid(watch->parent);
	profil_profile_put(watch->profile);
	kfree(watch);
}

/**
 * profil_follower_take() - take memory for a binding or watch of a child
 * @follower: of the session that follows its parent
 *
 * Context: Any; profil_bindings_lock is held.
 * Return: PROFIL_NODE_SIZE bytes, to be freed with kfree(), or NULL.
 */
void *profil_follower_take(struct profil_follower *follower)
{
	void *node = profil_pool_take(&follower->pool);

	lockdep_assert_held(&profil_bindings_lock);
	if (atomic_read(&follower->pool.filled) < FILL_BELOW &&
	    time_after_eq(jiffies, READ_ONCE(follower->no_memory)))
		queue_work(profil_user_wq, &follower->fill);
	if (!node)
		atomic64_inc(&profil_totals.pool_empty);
	return node;
}

/**
 * profil_watch_find() - find the watch of a session on a process
 * @follower: of the session
 * @pid: the process's thread group
 * @count: receives the number of unprivileged watches on it, of all sessions
 *
 * Context: Any; profil_bindings_lock is held.
 * Return: the watch, or NULL.
 */
struct profil_watch *profil_watch_find(const struct profil_follower *follower,
				       const struct pid *pid, unsigned int *count)
{
	struct profil_watch *watch, *found = NULL;

	lockdep_assert_held(&profil_bindings_lock);
	*count = 0;
	hlist_for_each_entry(watch, profil_watch_bucket(pid), node) {
		if (watch->pid != pid)
			continue;
		*count += !watch->profile->privileged;
		if (watch->follower == follower)
			found = watch;
	}
	return found;
}

/* Sets *published; if that is not @watch, @watch is still the caller's. */
static int profil_watch_publish_locked(struct profil_binding *binding, struct profil_watch *watch,
				       struct profil_follower *follower, struct pid *pid,
				       struct profil_watch **published,
				       struct profil_profile **before)
{
	struct profil_profile *profile = binding->profile;
	struct profil_watch *existing;
	unsigned int count;
	int err;

	existing = profil_watch_find(follower, pid, &count);
	if (!existing && profil_binding_full(profile, count))
		return -EBUSY;
	if (!existing && !profil_user_watch(follower->user))
		return -EDQUOT;
	err = profil_binding_publish_attached(binding, true);
	if (err) {
		if (!existing)
			profil_user_unwatch(follower->user);
		return err;
	}
	if (existing) {
		*before = existing->profile;
		existing->profile = profile;
		kref_get(&profile->refs);
		list_move_tail(&existing->link, &profile->watches);
	} else {
		profil_watch_add(watch, follower, profile, pid);
	}
	*published = existing ?: watch;
	return 0;
}

/**
 * profil_watch_publish() - publish a binding, and follow its process
 * @binding: of an attached profile to the process's address space
 * @watch: memory for a watch; freed here if not needed
 * @follower: of the session that follows
 * @target: one of the process's threads
 *
 * The caller keeps the process from exec'ing meanwhile.
 *
 * Context: Process context.
 * Return: 0; or -EBUSY, -EDQUOT, -ESRCH: nothing has changed, and the caller still
 * owns @binding and @watch.
 */
int profil_watch_publish(struct profil_binding *binding, struct profil_watch *watch,
			 struct profil_follower *follower, struct task_struct *target)
{
	/* NULL: it was reaped since the proof was checked. */
	struct pid *pid = get_task_pid(target, PIDTYPE_TGID);
	struct profil_profile *before = NULL;
	struct profil_watch *published;
	unsigned long flags;
	int err;

	if (!pid)
		return -ESRCH;
	raw_spin_lock_irqsave(&profil_bindings_lock, flags);
	err = profil_watch_publish_locked(binding, watch, follower, pid, &published, &before);
	/*
	 * Pairs with the full barrier of atomic_dec_and_test(&signal->live) in
	 * do_exit(): either the exit probe finds the watch, or we see live at 0.
	 */
	smp_mb();
	if (!err && !atomic_read(&target->signal->live))
		profil_watch_note(published, PROFIL_EVENT_EXIT);
	raw_spin_unlock_irqrestore(&profil_bindings_lock, flags);
	put_pid(pid);
	if (err)
		return err;
	if (before) {
		/* The existing watch is used. */
		kfree(watch);
		profil_profile_put(before);
	}
	return 0;
}

/**
 * profil_watches_remove() - stop following processes for a profile
 * @follower: of its session; the reader lock is held
 * @profile: the profile; from now on it gets no new children to follow
 *
 * Context: Process context.
 */
void profil_watches_remove(struct profil_follower *follower, struct profil_profile *profile)
{
	struct profil_watch *watch, *next;
	unsigned long flags;
	unsigned int n;
	bool more = true;
	LIST_HEAD(gone);

	lockdep_assert_held(&follower->reader);
	while (more) {
		raw_spin_lock_irqsave(&profil_bindings_lock, flags);
		profile->unfollowed = true;
		for (n = 0; n < REMOVE_BATCH && !list_empty(&profile->watches); n++) {
			watch = list_first_entry(&profile->watches, struct profil_watch, link);
			profil_watch_unlink(watch);
			list_add(&watch->link, &gone);
		}
		more = !list_empty(&profile->watches);
		raw_spin_unlock_irqrestore(&profil_bindings_lock, flags);
		cond_resched();
	}
	list_for_each_entry_safe(watch, next, &gone, link) {
		profil_user_unwatch(follower->user);
		profil_watch_free(watch);
		cond_resched();
	}
}
