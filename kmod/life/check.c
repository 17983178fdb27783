// SPDX-License-Identifier: GPL-2.0-only
/*
 * The recheck of a profile's memory, its status, and the sweep of bindings that have ended.
 *
 * Context: process
 */
#include "life/life.h"

#include "profile/recording.h"
#include "tick/record.h"

#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/task_work.h>

/*
 * Up to 8 MiB of counters are rechecked every 100 ms of CPU time, larger ones
 * less often, at the same cost per page.  The recheck is due at the first
 * checkpoint after 75 ms, and there is a checkpoint every 25 ms.
 */
#define CHECK_PAGES	2048UL
#define CHECK_INTERVAL	(HZ * 3 / 40)

/* A page that is not pinned costs a look at a word. */
static unsigned long profil_check_interval(const struct profil_pins *pins)
{
	unsigned long words = PAGE_SIZE / sizeof(*pins->page);
	unsigned long pages = READ_ONCE(pins->held) + pins->layout->pages / words;

	return CHECK_INTERVAL * DIV_ROUND_UP(max(pages, 1UL), CHECK_PAGES);
}

/* Return: 0, -EFAULT, -EINTR, -ENOMEM. */
static int profil_check_table(struct profil_profile *profile, struct profil_pins *pins)
{
	int err = profil_pins_check(pins);

	/* Once the recording has another table, this one may be unmapped. */
	if (err == -EFAULT && !READ_ONCE(pins->gone))
		profil_profile_retire(profile, PROFIL_STATE_FAULT);
	return err;
}

/*
 * Check that the counters' memory is still mapped, if it is current's: a session may be used by
 * processes that do not have it.  Return: 0, -EINTR.
 */
static int profil_check(struct profil_profile *profile)
{
	struct profil_pins *pins = profil_profile_get_pins(profile);
	int err = 0;

	if (!pins)
		return 0;
	if (pins->mm == current->mm) {
		err = profile->recording ? profil_check_table(profile, pins) :
					   profil_pins_recheck(pins);
		WRITE_ONCE(profile->next_check, jiffies + profil_check_interval(pins));
	}
	profil_pins_put(pins);
	/* -ENOMEM: the result is unknown, so try again next time. */
	return err == -EINTR ? err : 0;
}

/*
 * Runs in the profiled task on its way to user space, or in its exit, where it
 * no longer has an mm.
 */
static void profil_check_work(struct callback_head *check)
{
	struct profil_profile *profile = container_of(check, struct profil_profile, check);

	/* -EINTR: the task is being killed and will not read its counters. */
	profil_check(profile);
	clear_bit_unlock(0, &profile->checking);
	profil_profile_put(profile);
}

/**
 * profil_profile_check_later() - have the memory rechecked from time to time
 * @profile: not yet published, with pins
 *
 * Context: Process context.
 */
void profil_profile_check_later(struct profil_profile *profile)
{
	const struct profil_pins *pins = rcu_dereference_protected(profile->pins, true);

	init_task_work(&profile->check, profil_check_work);
	WRITE_ONCE(profile->next_check, jiffies + profil_check_interval(pins));
}

/**
 * profil_profile_status() - report the outcomes of a profile's ticks
 * @profile: a profile
 * @status: everything but size, flags and profile is filled in
 *
 * Context: Process context, may sleep.
 * Return: 0, -EINTR.
 */
int profil_profile_status(struct profil_profile *profile, struct profil_status *status)
{
	struct profil_pins *pins;
	struct profil_sum sum;
	int err = profil_check(profile);

	if (err)
		return err;
	mutex_lock(&profile->lock);
	profil_tally_sum(profile->tally, &sum);
	profil_sum_fill(&sum, status);
	pins = profil_profile_pins(profile);
	status->state = READ_ONCE(profile->state);
	status->period = profile->period;
	status->stored = atomic64_read(&profile->stored);
	status->pinned = pins ? (u64)pins->held << PAGE_SHIFT : 0;
	status->processes = READ_ONCE(profile->nr_bindings);
	status->joined = READ_ONCE(profile->joined);
	status->followed = READ_ONCE(profile->followed);
	status->forks_lost = atomic_read(&profile->forks_lost);
	mutex_unlock(&profile->lock);
	return 0;
}

/* Once true, this stays true. */
static bool profil_binding_is_dead(const struct profil_binding *binding)
{
	/* Once 0, it never rises again: no task will run there. */
	if (!atomic_read(&binding->mm->mm_users))
		return true;
	/* A thread ID that is reused gets another struct pid. */
	return binding->thread && !pid_has_task(binding->thread, PIDTYPE_PID);
}

static void profil_bindings_sweep_bucket(struct profil_bucket *bucket,
					 struct profil_binding **removed)
{
	struct profil_binding *binding;
	struct hlist_node *next;
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	hlist_for_each_entry_safe(binding, next, &bucket->chain, node)
		if (profil_binding_is_dead(binding))
			profil_binding_remove(binding, removed);
	if (hlist_empty(&bucket->chain))
		clear_bit(bucket - profil_bindings, profil_bindings_used);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
}

/**
 * profil_bindings_sweep() - remove bindings to address spaces and threads that have ended
 *
 * Context: Process context, may sleep.
 */
void profil_bindings_sweep(void)
{
	struct profil_binding *removed = NULL;
	unsigned int i;

	for_each_set_bit(i, profil_bindings_used, ARRAY_SIZE(profil_bindings)) {
		profil_bindings_sweep_bucket(&profil_bindings[i], &removed);
		cond_resched();
	}
	profil_binding_drop(removed);
}
