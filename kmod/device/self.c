// SPDX-License-Identifier: GPL-2.0-only
/*
 * Self profiles: a process profiles itself, and its children inherit the profile.
 *
 * Several threads may start and stop at once.  Replacing or ending a profile
 * takes its lock; the loser of a race retries.
 *
 * Context: process
 */
#include "device/self.h"

#include "follow/pool.h"
#include "profile/binding.h"
#include "profile/check.h"
#include "profile/demand.h"
#include "profile/layout.h"
#include "profile/life.h"
#include "profile/pages.h"
#include "profile/pins.h"
#include "profile/profile.h"

#include <linux/err.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/task_work.h>

/**
 * struct profil_birth - has a forked child profiled before it runs
 * @work: queued on the child
 * @layout: its parent's, referenced; holds the module as well
 * @parent: its parent's profile, referenced
 * @state: its parent's at the fork
 * @stored: its parent's at the fork
 */
struct profil_birth {
	struct callback_head work;
	struct profil_layout *layout;
	struct profil_profile *parent;
	u32 state;
	u64 stored;
};

/**
 * struct succession - what a new self profile replaces
 * @old: the old self profile, whose lock is held; or NULL
 * @stored: receives the number of PCs that @old had stored
 */
struct succession {
	struct profil_profile *old;
	u64 *stored;
};

static int profil_self_publish(struct profil_profile *fresh, void *data)
{
	const struct succession *succession = data;
	struct profil_profile *old = succession->old;
	const struct profil_pins *old_pins = old ? profil_profile_pins(old) : NULL;
	struct profil_binding *binding = profil_binding_alloc();
	int err;

	if (!binding)
		return -ENOMEM;
	profil_binding_init(binding, current->mm, fresh, false);
	/* Share this late: with @old locked, publishing cannot fail any more. */
	if (old_pins)
		profil_pins_share(profil_profile_pins(fresh), old_pins);
	err = profil_binding_publish_self(binding, old);
	if (err) {
		profil_binding_drop(binding);
		return err;
	}
	if (old)
		profil_profile_succeed(old, fresh, succession->stored);
	return 0;
}

/*
 * Pages that were pinned late are only a cache: if they leave no room for the new
 * profile, they make it.
 */
static struct profil_profile *profil_self_create(struct profil_layout *layout,
						 struct profil_profile *old)
{
	struct profil_pins *pins = old ? profil_profile_pins(old) : NULL;
	struct profil_profile *fresh = profil_profile_create(layout, NULL, pins);

	if (fresh != ERR_PTR(-ENOMEM) && fresh != ERR_PTR(-EDQUOT))
		return fresh;
	if (!pins || !profil_layout_is_late(pins->layout))
		return fresh;
	profil_demand_forget_all(pins);
	return profil_profile_create(layout, NULL, pins);
}

/* Create the new profile and replace the old one, if any, whose lock is held. */
static int profil_self_replace(struct profil_layout *layout, struct profil_profile *old,
			       u64 *stored)
{
	struct succession succession = { .old = old, .stored = stored };
	struct profil_profile *fresh;
	int err;

	if (old) {
		err = profil_profile_check(old);
		if (err)
			return err;
	}
	fresh = profil_self_create(layout, old);
	if (IS_ERR(fresh))
		return PTR_ERR(fresh);
	err = profil_profile_begin(fresh, old ? SINGLE_DEPTH_NESTING : 0, profil_self_publish,
				   &succession);
	profil_profile_put(fresh);
	return err;
}

/* Current's own profile, referenced, or NULL.  One whose gate is shut ends here. */
static struct profil_profile *profil_self_get(int *err)
{
	struct profil_profile *profile = profil_binding_self(current->mm);
	bool shut = false;

	*err = profile ? profil_profile_retire_shut(profile, &shut) : 0;
	if (!*err && !shut)
		return profile;
	profil_profile_put(profile);
	return NULL;
}

static int profil_self_try_start(struct profil_layout *layout, u64 *stored)
{
	struct profil_profile *old;
	int err;

	old = profil_self_get(&err);
	if (err)
		return err;
	if (!old)
		return profil_self_replace(layout, NULL, stored);
	err = -EINTR;
	if (mutex_lock_killable(&old->lock))
		goto put;
	err = old->retired ? -EAGAIN : profil_self_replace(layout, old, stored);
	mutex_unlock(&old->lock);
put:
	profil_profile_put(old);
	return err;
}

/**
 * profil_self_start() - PROFIL_START
 * @start: copied from user space; its output is filled in
 *
 * Context: Process context, may sleep.
 * Return: 0; or, with nothing changed, an error that the head of <linux/profil.h>
 * lists.
 */
int profil_self_start(struct profil_start *start)
{
	struct profil_layout *layout;
	u64 stored = 0;
	int err;

	if (start->proof != -1 || start->flags & PROFIL_THREAD)
		return -EINVAL;
	err = profil_pool_fill();
	if (err)
		return err;
	layout = profil_layout_create(start);
	if (IS_ERR(layout))
		return PTR_ERR(layout);
	do {
		err = profil_self_try_start(layout, &stored);
		if (err == -EAGAIN && fatal_signal_pending(current))
			err = -EINTR;
		cond_resched();
	} while (err == -EAGAIN);
	profil_layout_put(layout);
	start->profile = 0;
	start->stored = stored;
	return err;
}

/**
 * profil_self_stop() - PROFIL_STOP of the caller's own profile
 * @stop: copied from user space; its output is filled in
 *
 * Context: Process context, may sleep.
 * Return: 0 or -EINTR.
 */
int profil_self_stop(struct profil_stop *stop)
{
	struct profil_profile *profile;
	int err;

	stop->stored = 0;
	profile = profil_self_get(&err);
	if (!profile)
		return err;
	err = profil_profile_retire_killable(profile, &stop->stored);
	profil_profile_put(profile);
	return err;
}

/**
 * profil_self_status() - PROFIL_STATUS of the caller's own profile
 * @status: copied from user space; its output is filled in
 *
 * Context: Process context, may sleep.
 * Return: 0 or -EINTR.
 */
int profil_self_status(struct profil_status *status)
{
	struct profil_profile *profile;
	int err;

	profile = profil_self_get(&err);
	if (!profile)
		return err;	/* all zero: PROFIL_STATE_NONE */
	err = profil_profile_status(profile, status);
	profil_profile_put(profile);
	return err;
}

static int profil_self_adopt(const struct profil_birth *birth)
{
	struct succession nobody = {};
	struct profil_profile *profile;
	int err;

	profile = profil_profile_create_child(birth->layout, birth->parent, birth->state,
					      birth->stored);
	if (IS_ERR(profile))
		return PTR_ERR(profile);
	err = profil_profile_begin(profile, 0, profil_self_publish, &nobody);
	profil_profile_put(profile);
	return err;
}

/*
 * Runs in the child before its first instruction in user mode; or in its exit, when
 * it has no mm any more and nothing is left to profile.  A child that was killed
 * first loses nothing either: it will not run in user mode.
 */
static void profil_birth_work(struct callback_head *work)
{
	struct profil_birth *birth = container_of(work, struct profil_birth, work);
	int err = current->mm ? profil_self_adopt(birth) : 0;

	if (err && !fatal_signal_pending(current)) {
		pr_debug("%s (%d) could not be followed: %d\n", current->comm,
			 task_pid_nr(current), err);
		atomic_inc(&birth->parent->forks_lost);
		atomic64_inc(&profil_totals.forks_lost);
	}
	profil_layout_put(birth->layout);
	profil_profile_put(birth->parent);
	kfree(birth);
}

/**
 * profil_self_fork() - a process with a self profile has forked
 * @profile: its self profile
 * @child: not yet woken, with memory of its own
 *
 * Context: The fork probe, under profil_bindings_lock.
 */
void profil_self_fork(struct profil_profile *profile, struct task_struct *child)
{
	struct profil_pins *pins = rcu_dereference_check(profile->pins,
							 lockdep_is_held(&profil_bindings_lock));
	struct profil_birth *birth;

	BUILD_BUG_ON(sizeof(*birth) > PROFIL_NODE_SIZE);
	/* Off, or a child of a profile that was: there is nothing to inherit. */
	if (!pins || !profil_pins_open(pins))
		return;
	birth = profil_pool_take();
	if (!birth) {
		atomic_inc(&profile->forks_lost);
		atomic64_inc(&profil_totals.forks_lost);
		return;
	}
	kref_get(&profile->refs);
	birth->parent = profile;
	birth->layout = profil_layout_get(pins->layout);
	birth->state = READ_ONCE(profile->state);
	birth->stored = min_t(u64, atomic64_read(&profile->stored), pins->layout->how.nr_samples);
	init_task_work(&birth->work, profil_birth_work);
	/* Fails only for an exiting task; the child cannot exit yet. */
	WARN_ON_ONCE(task_work_add(child, &birth->work, TWA_RESUME));
}
