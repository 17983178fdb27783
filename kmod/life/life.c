// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of a profile: its beginning; its clock or event, the recheck of its memory, and its
 * status while it runs; and its end, by its owner, by the sweep, or by PROFIL_STOP_ALL.
 *
 * Context: process
 */
#include "life/life.h"

#include "base/limits.h"
#include "memory/pins.h"
#include "profile/recording.h"
#include "source/source.h"
#include "tick/record.h"

#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/task_work.h>

/*
 * Up to 8 MiB of counters are rechecked every 100 ms of CPU time, more counters
 * less often, so that the cost per second does not grow.  The recheck is due at
 * the first checkpoint after 75 ms, and there is a checkpoint every 25 ms.
 */
#define CHECK_PAGES	2048UL
#define CHECK_INTERVAL	(HZ * 3 / 40)

/* Checking a page that is not pinned costs no more than reading a word. */
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
 * Check that the counters are still mapped, if they are in current's memory: processes with other
 * memory may use the session, too.  Return: 0, -EINTR.
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

static void profil_check_last(struct callback_head *check);

/*
 * Runs in the profiled task on its way to user space, or in its exit, where it
 * no longer has an mm.
 */
static void profil_check_work(struct callback_head *check)
{
	struct profil_profile *profile = container_of(check, struct profil_profile, check);

	init_task_work(check, profil_check_last);
	/* -EINTR: the task is being killed and will not read its counters. */
	profil_check(profile);
	clear_bit_unlock(0, &profile->checking);
	profil_profile_put(profile);
}

static void profil_check_last(struct callback_head *check)
{
	profil_work_last(check, profil_check_work);
}

/* Prepare the recheck of the memory of a profile that is not yet published. */
static void profil_check_later(struct profil_profile *profile)
{
	const struct profil_pins *pins = rcu_dereference_protected(profile->pins, true);

	init_task_work(&profile->check, profil_check_last);
	WRITE_ONCE(profile->next_check, jiffies + profil_check_interval(pins));
}

/**
 * profil_profile_prepare() - start the event or the clock of a profile
 * @profile: created, known only to the caller, who ends it if this fails
 * @attr: the event, from profil_source_choose(); NULL: the clock
 *
 * Context: Process context, may sleep; no lock is held.
 * Return: as profil_source_get().
 */
int profil_profile_prepare(struct profil_profile *profile, const struct perf_event_attr *attr)
{
	if (READ_ONCE(profile->state) != PROFIL_STATE_RUNNING)
		return 0;
	profile->started = ktime_get_ns();
	profil_check_later(profile);
	return profil_source_get(&profile->claim, attr, profile->period);
}

/**
 * profil_profile_status() - report the outcomes of a profile's ticks
 * @profile: a profile
 * @status: all members but size, flags and profile are filled in
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

#define SWEEP_AGAIN	HZ

static void profil_sweep_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(sweep_again, profil_sweep_work);

/**
 * profil_profile_end() - end a profile under its lock
 * @profile: not retired; its lock is held
 * @why: the profile's new &enum profil_state, if it runs
 * @stored: receives the number of PCs that the profile had stored
 *
 * From here on, no binding or watch of the profile can be added: ticks in flight are the last.
 *
 * Context: Process context, may sleep.
 * Return: the profile's pins, which the caller releases without the lock; or NULL.
 */
struct profil_pins *profil_profile_end(struct profil_profile *profile, u32 why, u64 *stored)
{
	struct profil_pins *pins = profil_profile_pins(profile);

	lockdep_assert_held(&profile->lock);
	WRITE_ONCE(profile->retired, true);
	profil_bindings_remove(profile);
	/* Let the ticks in flight count. */
	profil_sections_settle();
	/* Ticks can still find the profile by a watch, and tasks by a deferral or a question. */
	rcu_assign_pointer(profile->pins, NULL);
	if (profile->recording)
		profil_recording_end(profile->recording);
	profil_sections_settle();
	/* Only now: a child forked before the bindings were removed inherits a running profile. */
	cmpxchg(&profile->state, PROFIL_STATE_RUNNING, why);
	*stored = atomic64_read(&profile->stored);
	if (pins)
		WRITE_ONCE(pins->gone, true);
	profil_claim_put(&profile->claim);
	/* At once: a thousand profiles may begin and end before the rest of this one is freed. */
	profil_user_uncharge_profile(profile->user, 0, profile->rate);
	profile->rate = 0;
	return pins;
}

/**
 * profil_profile_begin() - list and publish a profile
 * @profile: prepared, known only to the caller, who ends it if this fails
 * @subclass: SINGLE_DEPTH_NESTING if the caller holds the lock of the profile that
 *	@profile replaces, else 0
 * @publish: makes @profile visible to ticks; called with its lock held, must not wait
 * @data: for @publish
 *
 * The profile is listed before it is published, so that PROFIL_STOP_ALL always
 * finds either this profile or the one that it replaces.  The lock keeps other
 * tasks from ending the profile before it is published.
 *
 * Context: Process context, may sleep.
 * Return: 0, or what @publish returned.
 */
int profil_profile_begin(struct profil_profile *profile, unsigned int subclass,
			 int (*publish)(struct profil_profile *profile, void *data), void *data)
{
	int err;

	mutex_lock_nested(&profile->lock, subclass);
	mutex_lock(&profil_profiles_lock);
	list_add_tail(&profile->link, &profil_profiles);
	mutex_unlock(&profil_profiles_lock);
	err = publish(profile, data);
	mutex_unlock(&profile->lock);
	if (!err)
		profil_sweep_soon();
	return err;
}

/**
 * profil_profile_retire() - end a profile
 * @profile: referenced by the caller; no effect if it is retired already
 * @why: the profile's new &enum profil_state, if it runs
 *
 * Afterwards the profile counts nothing any more, and its memory is unpinned.
 *
 * Context: Process context, may sleep; without locks of ours.
 * Return: the number of PCs that the profile had stored; 0 if it was retired already.
 */
u64 profil_profile_retire(struct profil_profile *profile, u32 why)
{
	struct profil_pins *pins = NULL;
	u64 stored = 0;

	mutex_lock(&profile->lock);
	profil_everybody_end(profile);
	if (!profile->retired)
		pins = profil_profile_end(profile, why, &stored);
	mutex_unlock(&profile->lock);
	if (profile->recording)
		profil_recording_leave(profile->recording);
	if (pins)
		profil_pins_release(pins);
	return stored;
}

/**
 * profil_profile_retire_shut() - end a profile if the program has shut its gate
 * @profile: referenced by the caller
 *
 * Also ends a profile if the address space with its counters has ended: an inherited descriptor,
 * or a ring, may outlive the reader.
 *
 * Context: Process context, may sleep; without locks of ours.
 * Return: true if the profile has ended, now or before.
 */
bool profil_profile_retire_shut(struct profil_profile *profile)
{
	const struct profil_pins *pins;
	bool shut;

	mutex_lock(&profile->lock);
	pins = profil_profile_pins(profile);
	/* The sweep may have ended it first. */
	shut = profile->retired ||
	       (pins && (!profil_pins_open(pins) || !atomic_read(&pins->mm->mm_users)));
	mutex_unlock(&profile->lock);
	if (shut)
		profil_profile_retire(profile, PROFIL_STATE_STOPPED);
	return shut;
}

/*
 * Find the profile after @profile in the list; NULL: the first one.  Drops the reference to
 * @profile, which has kept it in the list; new profiles come last.  Return: the profile found,
 * referenced, or NULL.
 */
static struct profil_profile *profil_life_next(struct profil_profile *profile)
{
	struct profil_profile *next = list_prepare_entry(profile, &profil_profiles, link);

	mutex_lock(&profil_profiles_lock);
	list_for_each_entry_continue(next, &profil_profiles, link)
		if (profil_profile_get(next))
			break;
	if (list_entry_is_head(next, &profil_profiles, link))
		next = NULL;
	mutex_unlock(&profil_profiles_lock);
	if (profile)
		profil_profile_put(profile);
	cond_resched();
	return next;
}

/* Return: false if the process has left the address space: it has ended, or executed a program. */
static bool profil_process_uses(struct pid *process, const struct mm_struct *mm)
{
	const struct mm_struct *its = NULL;
	struct task_struct *task, *thread;
	unsigned int looks = 64;	/* interrupts are off */

	rcu_read_lock();
	task = pid_task(process, PIDTYPE_TGID);
	/* Without live threads it has ended.  All have the same mm, except those that exit. */
	if (task && atomic_read(&task->signal->live)) {
		for_each_thread(task, thread) {
			its = READ_ONCE(thread->mm);
			if (its || !--looks)
				break;
		}
	}
	rcu_read_unlock();
	return its == mm || !looks;
}

/* Return: true if no tick may count by this binding any more; once true, this stays true. */
static bool profil_binding_is_dead(const struct profil_binding *binding)
{
	/* Once it is 0, mm_users never rises again: no task will run there. */
	if (!atomic_read(&binding->mm->mm_users))
		return true;
	/* Another process shares the memory: its next tick makes a binding of its own. */
	if (binding->process && !profil_process_uses(binding->process, binding->mm))
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

/* Remove bindings to address spaces and threads that have ended. */
static void profil_bindings_sweep(void)
{
	struct profil_binding *removed = NULL;
	unsigned int i;

	for_each_set_bit(i, profil_bindings_used, ARRAY_SIZE(profil_bindings)) {
		profil_bindings_sweep_bucket(&profil_bindings[i], &removed);
		cond_resched();
	}
	profil_binding_drop(removed);
}

/*
 * Retire profiles whose gate is shut or whose counters' address space has ended, and give up the
 * claims of profiles that have stopped.
 */
static void profil_settle_all(void)
{
	int left = atomic_read(&profil_totals.profiles);
	struct profil_profile *profile = NULL;

	/* Bounded, because others may begin profiles as fast as this loop goes through them. */
	for (; left > 0 && (profile = profil_life_next(profile)); left--) {
		if (profil_profile_retire_shut(profile) ||
		    READ_ONCE(profile->state) == PROFIL_STATE_RUNNING)
			continue;
		mutex_lock(&profile->lock);
		profil_claim_put(&profile->claim);
		mutex_unlock(&profile->lock);
	}
	if (profile)
		profil_profile_put(profile);
}

static void profil_sweep_work(struct work_struct *work)
{
	bool again = work == &sweep_again.work;

	profil_bindings_sweep();
	if (again)
		profil_sources_review();
	if (xchg(&profil_settle_wanted, false) || again)
		profil_settle_all();
	/*
	 * The last user of an mm may go away without any probe being called; and the
	 * mm of a reader need not have a binding.
	 */
	if (atomic_read(&profil_totals.profiles))
		queue_delayed_work(profil_wq, &sweep_again, SWEEP_AGAIN);
}

/**
 * profil_profile_stop_all() - end every profile on the machine
 *
 * Ends every profile that exists at the start, without waiting for users' memory: no task holds
 * the lock of a profile while it waits for memory.  Profiles created after the start may stay.
 *
 * Context: Process context, may sleep.
 * Return: 0; -EINTR if a fatal signal came first.
 */
int profil_profile_stop_all(void)
{
	int left = atomic_read(&profil_totals.profiles);
	struct profil_profile *profile = NULL;

	/* Bounded, because others may begin profiles as fast as this loop ends them. */
	for (; left > 0 && !fatal_signal_pending(current); left--) {
		profile = profil_life_next(profile);
		if (!profile)
			return 0;
		profil_profile_retire(profile, PROFIL_STATE_STOPPED);
	}
	if (profile)
		profil_profile_put(profile);
	return left > 0 ? -EINTR : 0;
}

/**
 * profil_life_init() - initialise the sweep
 *
 * Context: Process context, before the first probe and the first profile.
 */
void profil_life_init(void)
{
	INIT_DELAYED_WORK(&profil_sweep, profil_sweep_work);
}

/**
 * profil_life_exit() - wait for work that ticks have queued; end the sweeps
 *
 * Context: Process context; no profile is left, and none of follow.c's probes.  The
 * clock may still tick, but finds no profile.
 */
void profil_life_exit(void)
{
	irq_work_sync(&profil_settle_irq);
	cancel_delayed_work_sync(&profil_sweep);
	cancel_delayed_work_sync(&sweep_again);
}
