// SPDX-License-Identifier: GPL-2.0-only
/*
 * While a profile runs: its clock or event, the recheck of its memory, and its status.
 *
 * Context: process
 */
#include "life/life.h"

#include "profile/recording.h"
#include "source/source.h"
#include "tick/record.h"

#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/mm.h>
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

/* Have the memory of a profile that is not yet published rechecked from time to time. */
static void profil_check_later(struct profil_profile *profile)
{
	const struct profil_pins *pins = rcu_dereference_protected(profile->pins, true);

	init_task_work(&profile->check, profil_check_last);
	WRITE_ONCE(profile->next_check, jiffies + profil_check_interval(pins));
}

/**
 * profil_profile_prepare() - start the event or the clock of a profile
 * @profile: created, known only to the caller, who ends it if this fails
 * @attr: the event, of profil_source_choose(); NULL: the clock
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
