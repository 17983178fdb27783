// SPDX-License-Identifier: GPL-2.0-only
/*
 * A watch: a process that a recording follows.
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

/* Ticks of the exit of a process may still come for this long after its end. */
#define LEAVE_AFTER	DIV_ROUND_UP(HZ, 10)
/* In a storm of exits, the work item runs once per this time for all watches, not once for each. */
#define LEAVE_TOGETHER	DIV_ROUND_UP(HZ, 20)

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

/*
 * Return: true if watches are not charged: other users' processes must not use up the user's limit.
 * A system-wide recording follows each of these processes once, and a privileged user may follow
 * some that fork.
 */
static bool profil_watch_is_free(const struct profil_profile *profile)
{
	return profile->everybody || profile->privileged;
}

/* Return: false if the user follows too many processes. */
static bool profil_watch_charge(const struct profil_profile *profile)
{
	return profil_watch_is_free(profile) || profil_user_watch(profile->user);
}

static void profil_watch_uncharge(const struct profil_profile *profile)
{
	if (!profil_watch_is_free(profile))
		profil_user_unwatch(profile->user);
}

/**
 * profil_watch_find() - find the watch of a session on a process
 * @bucket: the bucket of @pid
 * @profile: a profile of the session
 * @pid: the process's thread group
 *
 * Context: Any; the lock of @bucket is held.
 * Return: the watch, which may be for another profile of the session, or NULL.
 */
struct profil_watch *profil_watch_find(const struct profil_bucket *bucket,
				       const struct profil_profile *profile,
				       const struct pid *pid)
{
	struct profil_watch *watch;

	lockdep_assert_held(&bucket->lock);
	hlist_for_each_entry(watch, &bucket->chain, node)
		if (watch->pid == pid && watch->profile->session == profile->session)
			return watch;
	return NULL;
}

/* Charge for a watch if the profile may follow the process, too.  Return: 0; -EBUSY, -EDQUOT. */
static int profil_watch_room(const struct profil_bucket *bucket,
			     const struct profil_profile *profile, const struct pid *pid)
{
	const struct profil_watch *watch;
	unsigned int count = 0;

	hlist_for_each_entry(watch, &bucket->chain, node)
		count += watch->pid == pid && !watch->profile->privileged;
	if (profil_binding_full(profile, count))
		return -EBUSY;
	return profil_watch_charge(profile) ? 0 : -EDQUOT;
}

/* Return: false, with nothing changed, if the recording has ended. */
static bool profil_watch_insert(struct profil_bucket *bucket, struct profil_profile *profile,
				struct pid *pid, struct profil_owned owned,
				struct profil_watch *watch)
{
	struct profil_recording *recording = profile->recording;

	lockdep_assert_held(&bucket->lock);
	raw_spin_lock(&recording->lock);
	if (recording->ended) {
		raw_spin_unlock(&recording->lock);
		return false;
	}
	kref_get(&profile->refs);
	watch->profile = profile;
	watch->pid = get_pid(pid);
	watch->owned = owned;
	list_add_tail(&watch->link, &recording->watches);
	hlist_add_head_rcu(&watch->node, &bucket->chain);
	WRITE_ONCE(profile->joined, profile->joined + 1);
	WRITE_ONCE(profile->followed, profile->followed + 1);
	raw_spin_unlock(&recording->lock);
	return true;
}

/**
 * profil_watch_add() - follow a process
 * @bucket: the bucket of @pid
 * @profile: the profile that the process's ticks count for
 * @pid: the process's thread group, which the session does not follow yet
 * @owned: the owner of its ticks
 * @memory: zeroed memory for a watch; NULL: take it from the recording's pool
 *
 * Context: Any but hard interrupt; the lock of @bucket is held.
 * Return: the watch; or an ERR_PTR: -EBUSY, -EDQUOT, -ENOMEM; -ENOENT if @profile is over.  Then
 * nothing has changed, and @memory is still the caller's.
 */
struct profil_watch *profil_watch_add(struct profil_bucket *bucket,
				      struct profil_profile *profile, struct pid *pid,
				      struct profil_owned owned, struct profil_watch *memory)
{
	struct profil_watch *watch = memory;
	int err;

	/* A recording that is over has no memory to give, but nothing is lost either. */
	if (READ_ONCE(profile->retired))
		return ERR_PTR(-ENOENT);
	err = profil_watch_room(bucket, profile, pid);
	if (err)
		return ERR_PTR(err);
	BUILD_BUG_ON(sizeof(*watch) > PROFIL_NODE_SIZE);
	if (!watch)
		watch = profil_recording_take(profile->recording, profil_payer(), 0);
	if (watch && profil_watch_insert(bucket, profile, pid, owned, watch))
		return watch;
	profil_watch_uncharge(profile);
	if (!watch)
		return ERR_PTR(-ENOMEM);
	if (!memory)
		profil_pool_give(&profile->recording->pool, watch);
	return ERR_PTR(-ENOENT);
}

/*
 * A process has ended, or is no longer followed.  Waking the reader takes an interrupt, so the
 * reader of a system-wide recording is not woken.
 */
static void profil_watch_left(struct profil_profile *profile)
{
	struct profil_recording *recording = profile->recording;

	lockdep_assert_held(&recording->lock);
	WRITE_ONCE(profile->followed, profile->followed - 1);
	if (recording->news && !profile->everybody)
		profil_news_tell(recording->news);
}

/**
 * profil_watch_exit() - note that a process exits
 * @watch: the watch of the process, in the table
 *
 * Ticks of a task that has given up its memory count for its process, so the watch of the process
 * stays in the table for a while.
 *
 * Context: Any; the lock of the watch's bucket is held.
 */
void profil_watch_exit(struct profil_watch *watch)
{
	struct profil_recording *recording = watch->profile->recording;

	profil_owner_end(recording, watch->owned, watch->pid, true);
	raw_spin_lock(&recording->lock);
	if (!watch->until) {
		watch->until = jiffies + LEAVE_AFTER ?: 1;
		list_move_tail(&watch->link, &recording->left);
		queue_delayed_work(profil_wq, &recording->leave, LEAVE_AFTER);
		profil_watch_left(watch->profile);
	}
	raw_spin_unlock(&recording->lock);
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
 * profil_watch_remove() - stop following a process
 * @watch: the watch of the process; no effect if it is no longer in the table
 *
 * The watch is freed a grace period later.
 *
 * Context: Any; the lock of the watch's bucket is held.
 */
void profil_watch_remove(struct profil_watch *watch)
{
	struct profil_profile *profile = watch->profile;

	if (hlist_unhashed(&watch->node))
		return;
	hlist_del_init_rcu(&watch->node);
	raw_spin_lock(&profile->recording->lock);
	list_del(&watch->link);
	if (!watch->until)
		profil_watch_left(profile);
	raw_spin_unlock(&profile->recording->lock);
	profil_watch_uncharge(profile);
	call_rcu(&watch->rcu, profil_watch_free_rcu);
}

/* Return: a watch whose time is over, or any of an ended recording; or NULL.  RCU keeps it. */
static struct profil_watch *profil_watch_first(struct profil_recording *recording)
{
	struct profil_watch *watch;
	unsigned long flags;

	raw_spin_lock_irqsave(&recording->lock, flags);
	watch = list_first_entry_or_null(&recording->left, struct profil_watch, link);
	if (!watch && recording->ended)
		watch = list_first_entry_or_null(&recording->watches, struct profil_watch, link);
	if (watch && !recording->ended && time_before(jiffies, watch->until))
		watch = NULL;
	raw_spin_unlock_irqrestore(&recording->lock, flags);
	return watch;
}

/**
 * profil_watches_remove() - remove the watches of processes that ended some time ago
 * @recording: the recording; if it has ended, it follows no process any more
 *
 * Context: Process context.
 */
void profil_watches_remove(struct profil_recording *recording)
{
	struct profil_bucket *bucket;
	struct profil_watch *watch;
	unsigned long flags;

	do {
		rcu_read_lock();
		watch = profil_watch_first(recording);
		if (watch) {
			bucket = profil_watch_bucket(watch->pid);
			raw_spin_lock_irqsave(&bucket->lock, flags);
			/* First: the exec probe still finds the watch, and waits for the lock. */
			if (!hlist_unhashed(&watch->node))
				profil_owner_end(recording, watch->owned, watch->pid, true);
			profil_watch_remove(watch);
			raw_spin_unlock_irqrestore(&bucket->lock, flags);
		}
		rcu_read_unlock();
		cond_resched();
	} while (watch);
}

/* Context: Process. */
static void profil_watch_leave_work(struct work_struct *work)
{
	struct profil_recording *recording = container_of(to_delayed_work(work),
							  struct profil_recording, leave);

	profil_watches_remove(recording);
	if (!list_empty_careful(&recording->left))
		queue_delayed_work(profil_wq, &recording->leave, LEAVE_TOGETHER);
}

/**
 * profil_watches_begin() - prepare a recording to follow processes
 * @recording: known only to the caller
 *
 * Context: Process context.
 */
void profil_watches_begin(struct profil_recording *recording)
{
	INIT_LIST_HEAD(&recording->watches);
	INIT_LIST_HEAD(&recording->left);
	INIT_DELAYED_WORK(&recording->leave, profil_watch_leave_work);
}

static int profil_watch_publish_locked(struct profil_bucket *bucket,
				       struct profil_binding *binding, struct profil_watch *watch,
				       struct task_struct *target, struct pid *pid)
{
	struct profil_profile *profile = binding->profile;
	struct profil_watch *existing = profil_watch_find(bucket, profile, pid);
	int err;

	if (existing)
		return existing->until ? -ESRCH : -EEXIST;
	/* The process's end may have been noted in a watch that is no longer in the table. */
	if (!atomic_read(&target->signal->live))
		return -ESRCH;
	err = profil_watch_room(bucket, profile, pid);
	if (err)
		return err;
	err = profil_binding_publish(binding);
	if (err) {
		profil_watch_uncharge(profile);
		return err;
	}
	/* The profile's lock is held, and @binding was published, so the recording is not over. */
	WARN_ON_ONCE(!profil_watch_insert(bucket, profile, pid, binding->owned, watch));
	return 0;
}

/**
 * profil_watch_publish() - publish a binding, and follow its process
 * @binding: a recording's binding to the process's address space
 * @watch: zeroed memory for a watch
 * @target: one of the process's threads
 *
 * The caller keeps the process from executing another program.
 *
 * Context: Process context; the lock of the binding's profile is held.
 * Return: 0; or -EBUSY, -EDQUOT, -EEXIST, -ENOENT, -ESRCH: nothing has changed, and the caller
 * still owns @binding and @watch.
 */
int profil_watch_publish(struct profil_binding *binding, struct profil_watch *watch,
			 struct task_struct *target)
{
	/* NULL if the process was reaped since the proof was checked. */
	struct pid *pid = get_task_pid(target, PIDTYPE_TGID);
	struct profil_bucket *bucket;
	unsigned long flags;
	int err;

	if (!pid)
		return -ESRCH;
	bucket = profil_watch_bucket(pid);
	raw_spin_lock_irqsave(&bucket->lock, flags);
	err = profil_watch_publish_locked(bucket, binding, watch, target, pid);
	/*
	 * Pairs with the full barrier of atomic_dec_and_test(&signal->live) in
	 * do_exit(): either the exit probe finds the watch, or we see live at 0.
	 */
	smp_mb();
	if (!err && !atomic_read(&target->signal->live))
		profil_watch_exit(watch);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	put_pid(pid);
	return err;
}
