// SPDX-License-Identifier: GPL-2.0-only
/*
 * Self profiles: a process profiles itself, and its children inherit the profile.
 *
 * Several threads may start and stop profiles at once.  Replacing or ending a profile takes its
 * lock; a start that loses a race retries.
 *
 * Context: process
 */
#include "self/self.h"

#include "life/life.h"
#include "source/source.h"
#include "tick/record.h"

#include <linux/err.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/task_work.h>

#define FLAGS	((u32)(PROFIL_KERNEL_TICKS | PROFIL_FOLLOW | PROFIL_FAULT_REGION | \
		       PROFIL_OWED_TICKS))

/*
 * Nodes in the pool of births: at the start, and once the program has forked.  As many threads as
 * there are nodes can fork before the first one, on its way to user mode, refills the pool.
 */
#define BIRTHS_START	2
#define BIRTHS		32

/**
 * struct profil_birth - the start of a forked child's profile, before the child runs
 * @work: queued on the child
 * @layout: the parent's layout, referenced; also keeps the module loaded
 * @parent: the parent's profile, referenced
 * @state: the state of @parent at the fork
 * @stored: the number of PCs that @parent had stored at the fork
 */
struct profil_birth {
	struct callback_head work;
	struct profil_layout *layout;
	struct profil_profile *parent;
	u32 state;
	u64 stored;
};

/**
 * struct succession - the replacement of a self profile by a new one
 * @old: the old self profile, whose lock is held; or NULL
 * @stored: receives the number of PCs that @old had stored
 * @binding: the new profile's binding, which is published or freed
 * @spent: receives the pins of @old
 */
struct succession {
	struct profil_profile *old;
	u64 *stored;
	struct profil_binding *binding;
	struct profil_pins *spent;
};

static int profil_self_publish(struct profil_profile *fresh, void *data)
{
	struct succession *succession = data;
	struct profil_profile *old = succession->old;
	struct profil_binding *binding = succession->binding;
	int err;

	profil_binding_init(binding, current->mm, fresh);
	err = profil_binding_publish_self(binding, old);
	if (err) {
		profil_binding_drop(binding);
		return err;
	}
	profil_clock_look(current->mm);
	if (old)
		succession->spent = profil_profile_end(old, PROFIL_STATE_STOPPED,
						       succession->stored);
	return 0;
}

/* Runs in a task that has forked, on its way to user mode. */
static void profil_births_refill_work(struct callback_head *work)
{
	struct profil_profile *profile = container_of(work, struct profil_profile, refill);

	/* If there is no memory, later children may be lost, which is counted. */
	profil_pool_fill(&profile->births, BIRTHS, PROFIL_NODE_SIZE, GFP_KERNEL_ACCOUNT);
	clear_bit_unlock(0, &profile->refilling);
	profil_profile_put(profile);
}

static int profil_births_prepare(struct profil_profile *profile)
{
	if (!(profile->flags & PROFIL_FOLLOW))
		return 0;
	init_task_work(&profile->refill, profil_births_refill_work);
	return profil_pool_fill(&profile->births, BIRTHS_START, PROFIL_NODE_SIZE,
				GFP_KERNEL_ACCOUNT);
}

static void profil_births_refill(struct profil_profile *profile)
{
	if (atomic_read(&profile->births.filled) < BIRTHS / 2 &&
	    !test_and_set_bit_lock(0, &profile->refilling) &&
	    !profil_profile_add_work(profile, &profile->refill))
		clear_bit_unlock(0, &profile->refilling);
}

/* Do everything that may sleep or allocate before publishing the new profile. */
static int profil_self_prepare(struct profil_profile *fresh, struct succession *succession)
{
	int err = profil_demand_init(fresh);

	if (!err)
		err = profil_profile_prepare(fresh, NULL);
	if (!err)
		err = profil_births_prepare(fresh);
	if (err)
		return err;
	succession->binding = profil_binding_alloc();
	return succession->binding ? 0 : -ENOMEM;
}

/*
 * Publish @fresh, which may be an ERR_PTR, in place of @old.  Takes over the reference to @fresh.
 * Return: 0; -ESTALE if @old is no longer current's self profile; or another error.
 */
static int profil_self_launch(struct profil_profile *fresh, struct profil_profile *old, u64 *stored)
{
	struct succession succession = { .old = old, .stored = stored };
	int err = PTR_ERR_OR_ZERO(fresh);

	if (err)
		return err;
	err = profil_self_prepare(fresh, &succession);
	if (err)
		goto put;
	if (old)
		mutex_lock(&old->lock);
	if (old && old->retired) {
		profil_binding_free(succession.binding);
		err = -ESTALE;
	} else {
		err = profil_profile_begin(fresh, old ? SINGLE_DEPTH_NESTING : 0,
					   profil_self_publish, &succession);
	}
	if (old)
		mutex_unlock(&old->lock);
	if (succession.spent)
		profil_pins_release(succession.spent);
put:
	if (err)
		profil_profile_retire(fresh, PROFIL_STATE_STOPPED);
	profil_profile_put(fresh);
	return err;
}

/* Current's self profile, referenced, or NULL.  If its gate is shut, the profile ends here. */
static struct profil_profile *profil_self_get(void)
{
	struct profil_profile *profile = profil_binding_self(current->mm);

	if (!profile || !profil_profile_retire_shut(profile))
		return profile;
	profil_profile_put(profile);
	return NULL;
}

static int profil_self_try_start(struct profil_layout *layout, u64 *stored)
{
	struct profil_profile *old = profil_self_get();
	struct profil_profile *fresh = profil_profile_create(layout, NULL);
	struct profil_pins *pins;
	int err;

	/*
	 * The pages of the old profile are only a cache: if they leave no room for the new one,
	 * unpin them and try again.
	 */
	if (old && (fresh == ERR_PTR(-ENOMEM) || fresh == ERR_PTR(-EDQUOT))) {
		pins = profil_profile_get_pins(old);
		if (pins) {
			profil_pins_forget(pins);
			profil_pins_put(pins);
		}
		fresh = profil_profile_create(layout, NULL);
	}
	err = profil_self_launch(fresh, old, stored);
	if (old)
		profil_profile_put(old);
	return err;
}

/**
 * profil_self_start() - PROFIL_START
 * @start: copied from user space; its output is filled in
 *
 * Context: Process context, may sleep.
 * Return: 0; or an error from the list at the head of <linux/profil.h>, with nothing
 * changed.
 */
int profil_self_start(struct profil_start *start)
{
	struct profil_layout *layout;
	u64 stored = 0;
	int err;

	if (start->flags & ~FLAGS)
		return -EINVAL;
	layout = profil_layout_create(start, false);
	if (IS_ERR(layout))
		return PTR_ERR(layout);
	do {
		err = profil_self_try_start(layout, &stored);
		if (err == -ESTALE && fatal_signal_pending(current))
			err = -EINTR;
		cond_resched();
	} while (err == -ESTALE);
	profil_layout_put(layout);
	start->stored = stored;
	return err;
}

/**
 * profil_self_stop() - PROFIL_STOP of the caller's own profile
 * @stop: copied from user space; its output is filled in
 *
 * Context: Process context, may sleep.
 * Return: 0.
 */
int profil_self_stop(struct profil_stop *stop)
{
	struct profil_profile *profile = profil_self_get();

	stop->stored = 0;
	if (!profile)
		return 0;
	stop->stored = profil_profile_retire(profile, PROFIL_STATE_STOPPED);
	profil_profile_put(profile);
	return 0;
}

/**
 * profil_self_status() - PROFIL_STATUS of the caller's own profile
 * @status: copied from user space; its output is filled in
 *
 * Context: Process context, may sleep.
 * Return: 0, -EINTR.
 */
int profil_self_status(struct profil_status *status)
{
	struct profil_profile *profile = profil_self_get();
	int err;

	if (!profile)
		return 0;	/* all zero: PROFIL_STATE_NONE */
	err = profil_profile_status(profile, status);
	profil_profile_put(profile);
	return err;
}

static int profil_self_adopt(const struct profil_birth *birth)
{
	u64 unused;

	return profil_self_launch(profil_profile_create_child(birth->layout, birth->parent,
							      birth->state, birth->stored),
				  NULL, &unused);
}

/*
 * Runs in the child before its first instruction in user mode; or in its exit, when
 * it no longer has an mm and nothing is left to profile.  If the child is being killed,
 * a failure loses nothing: the child will not run in user mode.
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
 * @child: the forked task, not yet woken, with an address space of its own
 *
 * Context: The fork probe, under the lock of the bucket of the profile's binding.
 */
void profil_self_fork(struct profil_profile *profile, struct task_struct *child)
{
	struct profil_pins *pins = rcu_dereference_sched(profile->pins);
	struct profil_birth *birth;

	BUILD_BUG_ON(sizeof(*birth) > PROFIL_NODE_SIZE);
	/* Nothing to inherit: the profile has ended or was never on, or its gate is shut. */
	if (!pins || !profil_pins_open(pins))
		return;
	birth = profil_pool_take(&profile->births);
	profil_births_refill(profile);
	if (!birth) {
		atomic_inc(&profile->forks_lost);
		atomic64_inc(&profil_totals.forks_lost);
		atomic64_inc(&profil_totals.pool_empty);
		return;
	}
	kref_get(&profile->refs);
	birth->parent = profile;
	birth->layout = profil_layout_get(pins->layout);
	birth->state = READ_ONCE(profile->state);
	birth->stored = atomic64_read(&profile->stored);
	init_task_work(&birth->work, profil_birth_work);
	/* Fails only for an exiting task, and the child cannot exit yet. */
	WARN_ON_ONCE(task_work_add(child, &birth->work, TWA_RESUME));
}
