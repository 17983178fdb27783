// SPDX-License-Identifier: GPL-2.0-only
/*
 * A watch: a process that a session follows.
 *
 * Context: tracepoint probe
 */
#include "record/record.h"

#include "base/limits.h"

#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

/* How long after the end of a process ticks of its exit may still come. */
#define LEAVE_AFTER	DIV_ROUND_UP(HZ, 10)

struct profil_bucket profil_watches[1 << PROFIL_WATCH_BITS];

/**
 * profil_watches_init() - initialise the table of watches
 *
 * Context: Process context, before the first probe.
 */
void profil_watches_init(void)
{
	static struct lock_class_key key;

	profil_buckets_init(profil_watches, ARRAY_SIZE(profil_watches), &key);
}

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
 * profil_watch_charge() - charge for a watch before it is added
 * @profile: the profile that the process's ticks count for
 *
 * The user of a system-wide recording does not choose whom it follows, and it follows each process
 * once.  If it were charged, strangers' processes would use up what that user may follow.
 *
 * Context: Any; the profile's follower is kept.
 * Return: false if its user follows too many.
 */
bool profil_watch_charge(const struct profil_profile *profile)
{
	return profile->everybody || profil_user_watch(profile->follower->user);
}

/**
 * profil_watch_uncharge() - undo profil_watch_charge()
 * @profile: likewise
 *
 * Context: Any; the profile's follower is kept.
 */
void profil_watch_uncharge(const struct profil_profile *profile)
{
	if (!profile->everybody)
		profil_user_unwatch(profile->follower->user);
}

/* The lock of its follower is held. */
static void profil_watch_count(struct profil_profile *profile, int change)
{
	WRITE_ONCE(profile->followed, profile->followed + change);
}

/*
 * Let the reader look, and forget the process once its last ticks have come.  Waking the reader
 * takes an interrupt, so the reader of a system-wide recording is not told of each end.
 */
static void profil_watch_tell_end(struct profil_watch *watch)
{
	struct profil_follower *follower = watch->follower;

	lockdep_assert_held(&follower->lock);
	if (!list_empty(&watch->left))
		return;
	profil_watch_count(watch->profile, -1);
	watch->until = jiffies + LEAVE_AFTER;
	list_add_tail(&watch->left, &follower->left);
	queue_delayed_work(profil_wq, &follower->leave, LEAVE_AFTER);
	if (!watch->profile->everybody)
		profil_news_tell(&follower->news);
}

/**
 * profil_watch_end() - stop following a process
 * @watch: of the process, in the table
 *
 * Context: Any; the lock of the watch's bucket is held.
 */
void profil_watch_end(struct profil_watch *watch)
{
	struct profil_follower *follower = watch->follower;

	raw_spin_lock(&follower->lock);
	hlist_del_init_rcu(&watch->node);
	profil_watch_tell_end(watch);
	raw_spin_unlock(&follower->lock);
}

/**
 * profil_watch_exit() - note that a process exits
 * @watch: of the process, in the table
 * @task: one of its threads
 *
 * Ticks of a task that has given up its memory count for its process, so the watch of the process
 * stays in the table for a while.
 *
 * Context: Any; the lock of the watch's bucket is held.
 */
void profil_watch_exit(struct profil_watch *watch, struct task_struct *task)
{
	struct profil_follower *follower = watch->follower;

	profil_recording_end_owner(watch->profile->recording, watch->owned, watch->pid, task);
	raw_spin_lock(&follower->lock);
	profil_watch_tell_end(watch);
	raw_spin_unlock(&follower->lock);
}

/**
 * profil_watch_add() - follow a process
 * @bucket: of @pid
 * @watch: zeroed memory
 * @follower: of the session that follows, already charged for the watch
 * @profile: the profile that the process's ticks count for
 * @pid: its thread group
 *
 * Context: Any; the lock of @bucket is held.
 * Return: false if @profile is over: then nothing has changed.
 */
bool profil_watch_add(struct profil_bucket *bucket, struct profil_watch *watch,
		      struct profil_follower *follower, struct profil_profile *profile,
		      struct pid *pid)
{
	lockdep_assert_held(&bucket->lock);
	raw_spin_lock(&follower->lock);
	if (READ_ONCE(profile->retired)) {
		raw_spin_unlock(&follower->lock);
		return false;
	}
	kref_get(&profile->refs);
	watch->profile = profile;
	watch->follower = follower;
	watch->pid = get_pid(pid);
	INIT_LIST_HEAD(&watch->left);
	list_add_tail(&watch->link, &profile->watches);
	hlist_add_head_rcu(&watch->node, &bucket->chain);
	WRITE_ONCE(profile->joined, profile->joined + 1);
	profil_watch_count(profile, 1);
	raw_spin_unlock(&follower->lock);
	return true;
}

/**
 * profil_watch_unlink() - take a watch out of all lists
 * @watch: no longer in the table; the caller frees it
 *
 * Context: Any; its follower's lock is held.
 */
void profil_watch_unlink(struct profil_watch *watch)
{
	lockdep_assert_held(&watch->follower->lock);
	WARN_ON_ONCE(!hlist_unhashed(&watch->node));
	if (list_empty(&watch->left))
		profil_watch_count(watch->profile, -1);
	list_del(&watch->link);
	list_del(&watch->left);
}

/* Context: Process, or RCU's. */
static void profil_watch_free_rcu(struct rcu_head *rcu)
{
	struct profil_watch *watch = container_of(rcu, struct profil_watch, rcu);

	put_pid(watch->pid);
	profil_profile_put(watch->profile);
	kfree(watch);
}

/**
 * profil_watch_free() - free a watch, a grace period later
 * @watch: unlinked; its charge is left to the caller
 *
 * Context: Process context.
 */
void profil_watch_free(struct profil_watch *watch)
{
	call_rcu(&watch->rcu, profil_watch_free_rcu);
}

/**
 * profil_watch_find() - find the watch of a session on a process
 * @bucket: of @pid
 * @follower: of the session
 * @pid: the process's thread group
 * @count: receives the number of unprivileged watches on it, of all sessions
 *
 * Context: Any; the lock of @bucket is held.
 * Return: the watch, or NULL.
 */
struct profil_watch *profil_watch_find(const struct profil_bucket *bucket,
				       const struct profil_follower *follower,
				       const struct pid *pid, unsigned int *count)
{
	struct profil_watch *watch, *found = NULL;

	lockdep_assert_held(&bucket->lock);
	*count = 0;
	hlist_for_each_entry(watch, &bucket->chain, node) {
		if (watch->pid != pid)
			continue;
		*count += !watch->profile->privileged;
		if (watch->follower == follower)
			found = watch;
	}
	return found;
}

static int profil_watch_publish_locked(struct profil_bucket *bucket,
				       struct profil_binding *binding, struct profil_watch *watch,
				       struct profil_follower *follower,
				       struct task_struct *target, struct pid *pid)
{
	struct profil_profile *profile = binding->profile;
	struct profil_watch *existing;
	unsigned int count;
	int err;

	existing = profil_watch_find(bucket, follower, pid, &count);
	if (existing)
		return list_empty(&existing->left) ? -EEXIST : -ESRCH;
	/* Its end may have been noted, in a watch that is no longer in the table. */
	if (!atomic_read(&target->signal->live))
		return -ESRCH;
	if (profil_binding_full(profile, count))
		return -EBUSY;
	if (!profil_watch_charge(profile))
		return -EDQUOT;
	err = profil_binding_publish(binding);
	if (err) {
		profil_watch_uncharge(profile);
		return err;
	}
	watch->owned = binding->owned;
	/* The profile's lock is held, and @binding was published, so it is not over. */
	WARN_ON_ONCE(!profil_watch_add(bucket, watch, follower, profile, pid));
	return 0;
}

/**
 * profil_watch_publish() - publish a binding, and follow its process
 * @binding: of a recording to the process's address space
 * @watch: memory for a watch
 * @follower: of the session that follows
 * @target: one of the process's threads
 *
 * The caller keeps the process from executing another program.
 *
 * Context: Process context; the lock of the binding's profile is held.
 * Return: 0; or -EBUSY, -EDQUOT, -EEXIST, -ENOENT, -ESRCH: nothing has changed, and the caller
 * still owns @binding and @watch.
 */
int profil_watch_publish(struct profil_binding *binding, struct profil_watch *watch,
			 struct profil_follower *follower, struct task_struct *target)
{
	/* NULL: it was reaped since the proof was checked. */
	struct pid *pid = get_task_pid(target, PIDTYPE_TGID);
	struct profil_bucket *bucket;
	unsigned long flags;
	int err;

	if (!pid)
		return -ESRCH;
	bucket = profil_watch_bucket(pid);
	raw_spin_lock_irqsave(&bucket->lock, flags);
	err = profil_watch_publish_locked(bucket, binding, watch, follower, target, pid);
	/*
	 * Pairs with the full barrier of atomic_dec_and_test(&signal->live) in
	 * do_exit(): either the exit probe finds the watch, or we see live at 0.
	 */
	smp_mb();
	if (!err && !atomic_read(&target->signal->live))
		profil_watch_exit(watch, target);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	put_pid(pid);
	return err;
}

static struct profil_watch *profil_watch_first(struct profil_profile *profile)
{
	lockdep_assert_held(&profile->follower->lock);
	return list_first_entry_or_null(&profile->watches, struct profil_watch, link);
}

/* The process of the first watch of a profile, referenced; NULL if there is none. */
static struct pid *profil_watch_first_pid(struct profil_profile *profile)
{
	struct profil_follower *follower = profile->follower;
	struct profil_watch *watch;
	struct pid *pid = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&follower->lock, flags);
	watch = profil_watch_first(profile);
	if (watch)
		pid = get_pid(watch->pid);
	raw_spin_unlock_irqrestore(&follower->lock, flags);
	return pid;
}

/* Unlink the first watch, unless it is another process's by now.  Return: it, or NULL. */
static struct profil_watch *profil_watch_unlink_first(struct profil_profile *profile,
						      const struct pid *pid)
{
	struct profil_bucket *bucket = profil_watch_bucket(pid);
	struct profil_follower *follower = profile->follower;
	struct profil_watch *watch;
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	raw_spin_lock(&follower->lock);
	watch = profil_watch_first(profile);
	if (watch && watch->pid == pid) {
		/* First, while the probe on execve(2) still finds it and waits for the lock. */
		profil_recording_leave_owner(profile->recording, watch->owned, pid);
		hlist_del_init_rcu(&watch->node);
		profil_watch_unlink(watch);
	} else {
		watch = NULL;
	}
	raw_spin_unlock(&follower->lock);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	return watch;
}

/**
 * profil_watches_remove() - stop following processes for a profile
 * @follower: of its session
 * @profile: the profile, which is over, so it gets no more watches
 *
 * Context: Process context.
 */
void profil_watches_remove(struct profil_follower *follower, struct profil_profile *profile)
{
	struct profil_watch *watch;
	struct pid *pid;

	WARN_ON_ONCE(!READ_ONCE(profile->retired));
	while ((pid = profil_watch_first_pid(profile))) {
		watch = profil_watch_unlink_first(profile, pid);
		if (watch) {
			profil_watch_uncharge(profile);
			profil_watch_free(watch);
		}
		put_pid(pid);
		cond_resched();
	}
}
