// SPDX-License-Identifier: GPL-2.0-only
/*
 * Following processes: what fork, exec and exit do to profiles.
 *
 * The probes run with preemption off (on 6.1 and 6.12), so they allocate
 * nothing: nodes come from a pool that a work item fills, and free nothing:
 * that is left to process context.  An empty pool is a counted loss.
 */
#include "follow.h"

#include "clock.h"
#include "compat.h"
#include "image.h"
#include "limits.h"
#include "pool.h"
#include "profile.h"
#include "self.h"
#include "session.h"
#include "tracepoint.h"
#include "work.h"

#include <linux/binfmts.h>
#include <linux/hashtable.h>
#include <linux/pid_namespace.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#define REMOVE_BATCH	64

/* Guarded by profil_images_lock. */
static DEFINE_HASHTABLE(watches, 12);

/**
 * profil_watch_alloc() - room for a watch
 *
 * Context: Process context, may sleep.
 * Return: zeroes for profil_follow_publish(), or NULL.
 */
struct profil_watch *profil_watch_alloc(void)
{
	return kzalloc(sizeof(struct profil_watch), GFP_KERNEL_ACCOUNT);
}

/* Without the lock: a watch that is missed is one that comes after the event. */
static bool maybe_watched(const struct pid *pid)
{
	return !hlist_empty(&watches[hash_min((unsigned long)pid, HASH_BITS(watches))]);
}

static void report(struct profil_watch *watch, u32 what)
{
	lockdep_assert_held(&profil_images_lock);
	watch->what |= what;
	if (list_empty(&watch->pending))
		list_add_tail(&watch->pending, &watch->session->pending);
	irq_work_queue(&watch->session->wake);
}

static void add_watch(struct profil_watch *watch, struct profil_session *session,
		      struct profil_profile *profile, struct pid *pid)
{
	lockdep_assert_held(&profil_images_lock);
	kref_get(&profile->refs);
	watch->profile = profile;
	watch->session = session;
	watch->pid = get_pid(pid);
	INIT_LIST_HEAD(&watch->pending);
	list_add_tail(&watch->link, &profile->watches);
	hash_add(watches, &watch->node, (unsigned long)pid);
}

static void unlink_watch(struct profil_watch *watch)
{
	lockdep_assert_held(&profil_images_lock);
	hash_del(&watch->node);
	list_del(&watch->link);
	list_del(&watch->pending);
}

/* Lookups are made under the lock; nobody can hold an unlinked watch. */
static void free_watch(struct profil_watch *watch)
{
	put_pid(watch->pid);
	put_pid(watch->parent);
	profil_user_unwatch(watch->session->user);
	profil_profile_put(watch->profile);
	kfree(watch);
}

/* The watch of a session on a process, and how many unprivileged ones there are. */
static struct profil_watch *find_watch(const struct profil_session *session, const struct pid *pid,
				       unsigned int *count)
{
	struct profil_watch *watch, *found = NULL;

	lockdep_assert_held(&profil_images_lock);
	*count = 0;
	hash_for_each_possible(watches, watch, node, (unsigned long)pid) {
		if (watch->pid != pid)
			continue;
		*count += !watch->profile->privileged;
		if (watch->session == session)
			found = watch;
	}
	return found;
}

/* The watch that is published is in *published; *watch is the caller's if it is another. */
static int publish_locked(struct profil_image *image, struct profil_watch *watch,
			  struct profil_session *session, struct pid *pid,
			  struct profil_watch **published, struct profil_profile **before)
{
	struct profil_profile *profile = image->profile;
	struct profil_watch *existing;
	unsigned int count;
	int err;

	existing = find_watch(session, pid, &count);
	if (!existing && profil_image_full(profile, count))
		return -EBUSY;
	if (!existing && !profil_user_watch(session->user))
		return -EDQUOT;
	err = profil_image_publish_attached(image, true);
	if (err) {
		if (!existing)
			profil_user_unwatch(session->user);
		return err;
	}
	if (existing) {
		*before = existing->profile;
		existing->profile = profile;
		kref_get(&profile->refs);
		list_move_tail(&existing->link, &profile->watches);
	} else {
		add_watch(watch, session, profile, pid);
	}
	*published = existing ?: watch;
	return 0;
}

/**
 * profil_follow_publish() - meet and follow a process
 * @image: of an attached profile in the process's address space
 * @watch: room for a watch; freed here when it is not needed
 * @session: who follows
 * @target: one of its threads
 *
 * The caller keeps the process from changing its program meanwhile.
 *
 * Context: Process context.
 * Return: 0, or -EBUSY, -EDQUOT, -ESRCH; then nothing changed and both are the
 * caller's.
 */
int profil_follow_publish(struct profil_image *image, struct profil_watch *watch,
			  struct profil_session *session, struct task_struct *target)
{
	/* NULL: it was reaped since the proof was looked at. */
	struct pid *pid = get_task_pid(target, PIDTYPE_TGID);
	struct profil_profile *before = NULL;
	struct profil_watch *published;
	unsigned long flags;
	int err;

	if (!pid)
		return -ESRCH;
	raw_spin_lock_irqsave(&profil_images_lock, flags);
	err = publish_locked(image, watch, session, pid, &published, &before);
	/*
	 * Pairs with the full barrier of atomic_dec_and_test(&signal->live) in
	 * do_exit(): either the exit probe finds the watch, or we see the end.
	 */
	smp_mb();
	if (!err && !atomic_read(&target->signal->live))
		report(published, PROFIL_EVENT_EXIT);
	raw_spin_unlock_irqrestore(&profil_images_lock, flags);
	put_pid(pid);
	if (err)
		return err;
	if (before) {
		/* There was a watch, and it serves. */
		kfree(watch);
		profil_profile_put(before);
	}
	profil_clock_look();
	profil_sweep_soon();
	return 0;
}

/**
 * profil_watches_remove() - follow nobody for a profile any more
 * @session: its owner; the reader lock is held
 * @profile: the profile; from now on no child is added to those it follows
 *
 * Context: Process context.
 */
void profil_watches_remove(struct profil_session *session, struct profil_profile *profile)
{
	struct profil_watch *watch, *next;
	unsigned long flags;
	unsigned int n;
	bool more = true;
	LIST_HEAD(gone);

	lockdep_assert_held(&session->reader);
	while (more) {
		raw_spin_lock_irqsave(&profil_images_lock, flags);
		profile->unfollowed = true;
		for (n = 0; n < REMOVE_BATCH && !list_empty(&profile->watches); n++) {
			watch = list_first_entry(&profile->watches, struct profil_watch, link);
			unlink_watch(watch);
			list_add(&watch->link, &gone);
		}
		more = !list_empty(&profile->watches);
		raw_spin_unlock_irqrestore(&profil_images_lock, flags);
		cond_resched();
	}
	list_for_each_entry_safe(watch, next, &gone, link)
		free_watch(watch);
}

static void describe(const struct profil_watch *watch, struct profil_event *event)
{
	struct pid_namespace *ns = task_active_pid_ns(current);

	event->what = watch->what;
	event->profile = watch->profile->id;
	event->pid = pid_nr_ns(watch->pid, ns);
	event->parent = watch->what & PROFIL_EVENT_FORK ? pid_nr_ns(watch->parent, ns) : 0;
}

/**
 * profil_watch_report() - take what there is to be reported
 * @session: its reader lock is held
 * @events: receives one record a process
 * @max: its elements
 *
 * Context: Process context.
 * Return: the number of records.
 */
unsigned int profil_watch_report(struct profil_session *session, struct profil_event *events,
				 unsigned int max)
{
	struct profil_watch *watch, *next;
	unsigned int n = 0;
	unsigned long flags;
	LIST_HEAD(gone);

	lockdep_assert_held(&session->reader);
	raw_spin_lock_irqsave(&profil_images_lock, flags);
	list_for_each_entry_safe(watch, next, &session->pending, pending) {
		if (n == max)
			break;
		describe(watch, &events[n++]);
		if (watch->what & PROFIL_EVENT_EXIT) {
			unlink_watch(watch);
			list_add(&watch->link, &gone);
		} else {
			list_del_init(&watch->pending);
			watch->what = 0;
		}
	}
	raw_spin_unlock_irqrestore(&profil_images_lock, flags);
	list_for_each_entry_safe(watch, next, &gone, link)
		free_watch(watch);
	return n;
}

/* A child may be lost as an image and as a watch: that is one child. */
static void lose_fork(struct profil_profile *profile, const struct task_struct *child)
{
	lockdep_assert_held(&profil_images_lock);
	if (profile->fork_lost == child->start_boottime)
		return;
	profile->fork_lost = child->start_boottime;
	atomic_inc(&profile->forks_lost);
	atomic64_inc(&profil_totals.forks_lost);
}

/* A child with memory of its own: its ticks belong to whom its parent's do. */
static void fork_attached(struct profil_image *image, struct task_struct *child)
{
	struct profil_image *copy = profil_pool_take();
	int err;

	BUILD_BUG_ON(sizeof(*copy) > PROFIL_NODE_SIZE);
	if (!copy) {
		lose_fork(image->profile, child);
		return;
	}
	profil_image_init(copy, child->mm, image->profile, image->key & PROFIL_KEY_GAP);
	err = profil_image_publish_attached(copy, false);
	if (err)
		profil_image_drop(copy);
	/* -EEXIST: attached already, between the birth and this probe. */
	if (err && err != -EEXIST)
		lose_fork(image->profile, child);
}

static void fork_images(struct task_struct *parent, struct task_struct *child)
{
	struct profil_image *image;

	/* Copies are put into the child's chain, in front when it is the same. */
	hlist_for_each_entry(image, profil_image_bucket(parent->mm), node) {
		if (image->mm != parent->mm || !(image->profile->flags & PROFIL_FOLLOW))
			continue;
		if (image->profile->session)
			fork_attached(image, child);
		else
			profil_self_fork(image->profile, child);
	}
}

static void fork_watch(struct profil_watch *watch, struct task_struct *child, u32 what)
{
	struct profil_session *session = watch->session;
	struct profil_watch *copy;
	unsigned int count;

	BUILD_BUG_ON(sizeof(*copy) > PROFIL_NODE_SIZE);
	copy = find_watch(session, task_tgid(child), &count);
	/* It was attached already, between the birth and this probe. */
	if (copy) {
		if (!copy->parent)
			copy->parent = get_pid(watch->pid);
		report(copy, what);
		return;
	}
	if (!profil_user_watch(session->user)) {
		lose_fork(watch->profile, child);
		return;
	}
	copy = profil_pool_take();
	if (!copy) {
		profil_user_unwatch(session->user);
		lose_fork(watch->profile, child);
		return;
	}
	add_watch(copy, session, watch->profile, task_tgid(child));
	copy->parent = get_pid(watch->pid);
	report(copy, what);
}

static void fork_watches(struct task_struct *parent, struct task_struct *child)
{
	u32 what = PROFIL_EVENT_FORK | (child->mm == parent->mm ? PROFIL_EVENT_SHARES : 0);
	struct pid *pid = task_tgid(parent);
	struct profil_watch *watch;

	hash_for_each_possible(watches, watch, node, (unsigned long)pid)
		if (watch->pid == pid && (watch->profile->flags & PROFIL_FOLLOW) &&
		    !watch->profile->unfollowed)
			fork_watch(watch, child, what);
}

static void probe_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	bool memory = child->mm && child->mm != parent->mm;
	bool process = child->tgid != parent->tgid;
	unsigned long flags;

	/* A start or an attach that we miss here comes after this fork. */
	memory = memory && !hlist_empty(profil_image_bucket(parent->mm));
	process = process && maybe_watched(task_tgid(parent));
	if (!memory && !process)
		return;
	raw_spin_lock_irqsave(&profil_images_lock, flags);
	if (memory)
		fork_images(parent, child);
	if (process)
		fork_watches(parent, child);
	raw_spin_unlock_irqrestore(&profil_images_lock, flags);
}

/* The new program is not attached: its ticks are lost, but not in silence. */
static void exec_watch(struct profil_watch *watch, struct mm_struct *mm)
{
	struct profil_image *gap = profil_pool_take();

	report(watch, PROFIL_EVENT_EXEC);
	if (!gap)
		return;
	profil_image_init(gap, mm, watch->profile, true);
	/* -EEXIST: attached already, between the exec and this probe. */
	if (profil_image_publish_attached(gap, false))
		profil_image_drop(gap);
}

static void probe_exec(void *data, struct task_struct *task, pid_t old_pid,
		       struct linux_binprm *bprm)
{
	struct pid *pid = task_tgid(task);
	struct profil_watch *watch;
	unsigned long flags;

	if (maybe_watched(pid)) {
		raw_spin_lock_irqsave(&profil_images_lock, flags);
		hash_for_each_possible(watches, watch, node, (unsigned long)pid)
			if (watch->pid == pid)
				exec_watch(watch, task->mm);
		raw_spin_unlock_irqrestore(&profil_images_lock, flags);
		profil_clock_look_here();
	}
	if (atomic_read(&profil_totals.profiles))
		profil_sweep_soon();
}

static void probe_exit(void *data, PROFIL_EXIT_PROTO)
{
	struct pid *pid = task_tgid(task);
	struct profil_watch *watch;
	unsigned long flags;

	if (atomic_read(&task->signal->live))
		return;
	/* Pairs with smp_mb() in profil_follow_publish(). */
	smp_mb();
	if (maybe_watched(pid)) {
		raw_spin_lock_irqsave(&profil_images_lock, flags);
		hash_for_each_possible(watches, watch, node, (unsigned long)pid)
			if (watch->pid == pid)
				report(watch, PROFIL_EVENT_EXIT);
		raw_spin_unlock_irqrestore(&profil_images_lock, flags);
	}
	if (atomic_read(&profil_totals.profiles))
		profil_sweep_soon();
}

/**
 * struct probe - a probe on a tracepoint that is known by its name
 * @name: the tracepoint's
 * @function: the probe
 * @point: the tracepoint, once it is found
 */
struct probe {
	const char *name;
	void *function;
	struct tracepoint *point;
};

static struct probe probes[] = {
	{ "sched_process_fork", probe_fork },
	{ "sched_process_exec", probe_exec },
	{ "sched_process_exit", probe_exit },
};

/* A signature that changes with the kernel is to fail here, in the build. */
static inline void check_signatures(void)
{
	check_trace_callback_type_sched_process_fork(probe_fork);
	check_trace_callback_type_sched_process_exec(probe_exec);
	check_trace_callback_type_sched_process_exit(probe_exit);
}

static void unregister_probes(unsigned int nr)
{
	while (nr--)
		tracepoint_probe_unregister(probes[nr].point, probes[nr].function, NULL);
	tracepoint_synchronize_unregister();
}

/**
 * profil_follow_init() - set the probes
 *
 * Context: Process context.
 * Return: 0, -ENOENT when the kernel lacks a tracepoint, or -errno.
 */
int profil_follow_init(void)
{
	unsigned int i;
	int err;

	check_signatures();
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		probes[i].point = profil_tracepoint_find(probes[i].name);
		err = -ENOENT;
		if (probes[i].point)
			err = tracepoint_probe_register(probes[i].point, probes[i].function, NULL);
		if (err) {
			pr_err("cannot follow processes: %s: error %d\n", probes[i].name, err);
			unregister_probes(i);
			return err;
		}
	}
	return 0;
}

/**
 * profil_follow_exit() - undo profil_follow_init()
 *
 * Context: Process context; no profiles are left.
 */
void profil_follow_exit(void)
{
	unregister_probes(ARRAY_SIZE(probes));
}
