// SPDX-License-Identifier: GPL-2.0-only
/*
 * The profile: pins, policy, states, and who may hold it.
 *
 * Who can reach a profile, and until when:
 *  - the tick, through an image in the table, under RCU.  It uses the pins
 *    that it finds there; these are released only after profil_clock_sync().
 *  - the fork and exec probes, through images and watches, under
 *    profil_images_lock.
 *  - a queued check, commands: each holds a reference.
 *  - the sweep, through the list of all, under profil_profiles_lock, which the
 *    end takes to leave that list.
 * The last reference queues the end, which waits for a grace period, as the
 * tick may still look at the profile whose image was just taken out.
 *
 * Lock order: profile->lock (an heir's nested in its predecessor's) ->
 * profil_profiles_lock (with mutex_trylock of a profile's below it) -> the
 * clock's locks; profile->lock -> a target's exec_update_lock; profile->lock ->
 * mmap_lock; and below all profil_images_lock.
 */
#include "profile.h"

#include "image.h"
#include "layout.h"
#include "limits.h"
#include "pages.h"
#include "work.h"

#include <linux/cred.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

/*
 * Up to 8 MiB of counters are looked at every 100 ms of a CPU's time, larger
 * ones at the same price a page: at the first checkpoint after 75 ms, and there
 * is one every 25 ms.
 */
#define CHECK_PAGES	2048UL
#define CHECK_INTERVAL	(HZ * 3 / 40)
#define CHECKPOINT_NS	(25 * NSEC_PER_MSEC)

/* Guards the list of all profiles, and the totals of those that ended. */
DEFINE_MUTEX(profil_profiles_lock);
LIST_HEAD(profil_profiles);

/* A profile has stopped by itself, and its clock is still to be given up. */
static bool settle_wanted;

static void settle_tick(struct irq_work *work)
{
	WRITE_ONCE(settle_wanted, true);
	profil_sweep_soon();
}

static DEFINE_IRQ_WORK(settle_irq, settle_tick);

static struct profil_pins *pins_of(struct profil_profile *profile)
{
	return rcu_dereference_protected(profile->pins, lockdep_is_held(&profile->lock));
}

static unsigned long check_interval(const struct profil_layout *layout)
{
	return CHECK_INTERVAL * DIV_ROUND_UP(max(layout->pages, 1UL), CHECK_PAGES);
}

static void check_work(struct callback_head *check);

static void end_work(struct work_struct *work)
{
	struct profil_profile *profile = container_of(to_rcu_work(work), struct profil_profile,
						      free);
	struct profil_pins *pins;
	struct profil_sum sum;

	/* First out of the list: the sweep ends what it finds there, too. */
	profil_tally_peek(profile->tally, &sum);
	mutex_lock(&profil_profiles_lock);
	list_del(&profile->link);	/* empty if it was never published */
	profil_sum_add(&profil_totals.ended, &sum);
	mutex_unlock(&profil_profiles_lock);

	pins = rcu_dereference_protected(profile->pins, true);
	profil_clock_put(&profile->clock);
	if (pins)
		profil_pins_release(pins);

	atomic_dec(&profil_totals.profiles);
	free_percpu(profile->tally);
	profil_user_uncharge_profile(profile->user, profile->rate);
	profil_user_put(profile->user);
	kfree(profile);
	module_put(THIS_MODULE);
}

static void last_put(struct kref *refs)
{
	struct profil_profile *profile = container_of(refs, struct profil_profile, refs);

	queue_rcu_work(profil_wq, &profile->free);
}

/**
 * profil_profile_put() - drop a reference
 * @profile: ends, in process context and after a grace period, with the last
 *
 * Context: Any.
 */
void profil_profile_put(struct profil_profile *profile)
{
	kref_put(&profile->refs, last_put);
}

/* Ticks of different profiles, and of one on different CPUs, must not march in step. */
static void init_tally(struct profil_profile *profile)
{
	struct profil_tally *tally;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		tally = per_cpu_ptr(profile->tally, cpu);
		tally->credit = get_random_u64() % profile->period;
		tally->countdown = profile->checkpoint;
		tally->granted = profile->checkpoint;
	}
}

static struct profil_profile *alloc_profile(const struct profil_layout *layout, u64 rate)
{
	struct profil_profile *profile;
	int err = -ENOMEM;

	profile = kzalloc(sizeof(*profile), GFP_KERNEL_ACCOUNT);
	if (!profile)
		return ERR_PTR(-ENOMEM);
	profile->tally = alloc_percpu_gfp(struct profil_tally, GFP_KERNEL_ACCOUNT);
	if (!profile->tally)
		goto free_profile;
	profile->user = profil_user_get(current_uid());
	if (!profile->user)
		goto free_tally;
	err = profil_user_charge_profile(profile->user, rate);
	if (err)
		goto put_user;

	profile->rate = rate;
	profile->privileged = perfmon_capable();
	profile->period = layout->how.period;
	profile->checkpoint = max(div64_u64(CHECKPOINT_NS, profile->period), 1ULL);
	profile->flags = layout->how.flags;
	profile->state = PROFIL_STATE_RUNNING;
	kref_init(&profile->refs);
	mutex_init(&profile->lock);
	INIT_LIST_HEAD(&profile->clock.link);
	INIT_LIST_HEAD(&profile->images);
	INIT_LIST_HEAD(&profile->watches);
	INIT_RCU_WORK(&profile->free, end_work);
	init_task_work(&profile->check, check_work);
	init_tally(profile);

	INIT_LIST_HEAD(&profile->link);
	atomic_inc(&profil_totals.profiles);
	__module_get(THIS_MODULE);
	return profile;

put_user:
	profil_user_put(profile->user);
free_tally:
	free_percpu(profile->tally);
free_profile:
	kfree(profile);
	return ERR_PTR(err);
}

static int pin_profile(struct profil_profile *profile, struct profil_layout *layout,
		       const struct profil_pins *old, bool inherited)
{
	struct profil_pins *pins = profil_pins_create(layout, profile->user, old, inherited);

	if (IS_ERR(pins))
		return PTR_ERR(pins);
	RCU_INIT_POINTER(profile->pins, pins);
	return 0;
}

/**
 * profil_profile_create() - a profile that is met nowhere yet
 * @layout: what it counts, in current's memory
 * @session: owner, or NULL for a self profile
 * @old: pins of the self profile that it will replace, whose lock is held; or NULL
 *
 * Context: Process context, may sleep.
 * Return: the profile with one reference, or an ERR_PTR: -ENOMEM, -EDQUOT,
 * -EBUSY, -EFAULT, -EINTR.
 */
struct profil_profile *profil_profile_create(struct profil_layout *layout,
					     const struct profil_session *session,
					     const struct profil_pins *old)
{
	struct profil_profile *profile;
	u64 rate = 0;
	int err;

	/* The budgets are of those who have but the least of the rates. */
	if (!perfmon_capable())
		rate = DIV64_U64_ROUND_UP(NSEC_PER_SEC, layout->how.period);
	profile = alloc_profile(layout, rate);
	if (IS_ERR(profile))
		return profile;
	profile->session = session;
	err = pin_profile(profile, layout, old, false);
	if (!err)
		return profile;
	profil_profile_put(profile);
	return ERR_PTR(err);
}

/* An element of the array of PCs; NULL when its page went away. */
static void *element_of(const struct profil_pins *pins, u64 index)
{
	u64 position = pins->layout->samples + index * pins->layout->how.sample_width;
	void *page = pins->page[position >> PAGE_SHIFT];

	return page ? page + offset_in_page(position) : NULL;
}

/* 0: nothing was stored there, or it cannot be fetched. */
static u64 stored_pc(const struct profil_pins *pins, u64 index)
{
	const void *element = element_of(pins, index);

	if (!element)
		return 0;
	if (pins->layout->how.sample_width == 4)
		return READ_ONCE(*(const u32 *)element);
	return READ_ONCE(*(const u64 *)element);
}

static void copy_pc(struct profil_pins *pins, const struct profil_pins *from, u64 index)
{
	void *element = element_of(pins, index);
	u64 pc = stored_pc(from, index);

	if (!element)
		return;
	if (pins->layout->how.sample_width == 4)
		WRITE_ONCE(*(u32 *)element, pc);
	else
		WRITE_ONCE(*(u64 *)element, pc);
}

/*
 * What the parent's ticks stored while its memory was copied page by page is
 * missing at the ends of pages.  What cannot be fetched any more the child does
 * not have.
 */
static u64 complete_copy(struct profil_pins *pins, struct profil_profile *parent, u64 stored)
{
	const struct profil_pins *from = NULL;
	u64 i;

	if (mutex_trylock(&parent->lock)) {
		from = pins_of(parent);
		if (from && from->layout != pins->layout)
			from = NULL;
		for (i = 0; from && i < stored; i++) {
			if (!stored_pc(pins, i))
				copy_pc(pins, from, i);
			if (i % PAGE_SIZE)
				continue;
			/* It will not look at them. */
			if (fatal_signal_pending(current))
				break;
			cond_resched();
		}
		mutex_unlock(&parent->lock);
	}
	while (stored && !stored_pc(pins, stored - 1))
		stored--;
	return stored;
}

/**
 * profil_profile_create_child() - the profile of a process made by fork
 * @layout: its parent's, for the same addresses in current's memory
 * @parent: its parent's profile, referenced
 * @state: its parent's at the fork; one that was off stays off, but tells
 *	how much it had stored
 * @stored: its parent's at the fork
 *
 * Context: Process context in the child, may sleep.
 * Return: as profil_profile_create().
 */
struct profil_profile *profil_profile_create_child(struct profil_layout *layout,
						   struct profil_profile *parent, u32 state,
						   u64 stored)
{
	struct profil_profile *profile = alloc_profile(layout, 0);
	struct profil_pins *pins;
	int err = 0;

	if (IS_ERR(profile))
		return profile;
	profile->state = state;
	if (state == PROFIL_STATE_RUNNING)
		err = pin_profile(profile, layout, NULL, true);
	if (err) {
		profil_profile_put(profile);
		return ERR_PTR(err);
	}
	pins = rcu_dereference_protected(profile->pins, true);
	if (pins && layout->how.samples)
		stored = complete_copy(pins, parent, stored);
	atomic64_set(&profile->stored, stored);
	return profile;
}

/**
 * profil_profile_start_clock() - have it ticked, just before it is published
 * @profile: created, not yet published
 *
 * Context: Process context, may sleep.
 * Return: 0 or the clock's error.
 */
int profil_profile_start_clock(struct profil_profile *profile)
{
	struct profil_pins *pins = rcu_dereference_protected(profile->pins, true);

	if (READ_ONCE(profile->state) != PROFIL_STATE_RUNNING)
		return 0;
	profile->started = ktime_get_ns();
	WRITE_ONCE(profile->next_check, jiffies + check_interval(pins->layout));
	return profil_clock_get(&profile->clock, profile->period);
}

/* PCs in the array.  The tick counts attempts; those that found it full left nothing. */
static u64 stored_pcs(struct profil_profile *profile)
{
	const struct profil_pins *pins = pins_of(profile);
	u64 stored = atomic64_read(&profile->stored);

	return pins ? min(stored, pins->layout->how.nr_samples) : stored;
}

/**
 * profil_profile_list() - let the sweep and PROFIL_STOP_ALL see it
 * @profile: its lock is held since before it was published
 *
 * Context: Process context, may sleep.
 */
void profil_profile_list(struct profil_profile *profile)
{
	lockdep_assert_held(&profile->lock);
	mutex_lock(&profil_profiles_lock);
	list_add_tail(&profile->link, &profil_profiles);
	mutex_unlock(&profil_profiles_lock);
}

/* The images are out.  Whoever ticks now ticks for the last time. */
static u64 release_unpublished(struct profil_profile *profile, struct profil_pins *heir)
{
	struct profil_pins *pins = pins_of(profile);
	u64 stored;

	lockdep_assert_held(&profile->lock);
	WRITE_ONCE(profile->retired, true);
	profil_clock_sync();
	stored = stored_pcs(profile);
	atomic64_set(&profile->stored, stored);
	rcu_assign_pointer(profile->pins, NULL);
	if (pins && heir)
		profil_pins_take_over(heir, pins);
	if (pins)
		profil_pins_release(pins);
	profil_clock_put(&profile->clock);
	return stored;
}

static u64 retire_locked(struct profil_profile *profile)
{
	/* In any case: a followed process that execs leaves an image behind. */
	profil_images_remove(profile);
	return profile->retired ? 0 : release_unpublished(profile, NULL);
}

/**
 * profil_profile_retire() - end a profile
 * @profile: referenced by the caller; no effect when it is retired already
 *
 * Afterwards nothing is counted any more, and its memory is unpinned.
 *
 * Context: Process context, may sleep.
 * Return: PCs that it had stored; 0 when it was retired already.
 */
u64 profil_profile_retire(struct profil_profile *profile)
{
	u64 stored;

	mutex_lock(&profile->lock);
	stored = retire_locked(profile);
	mutex_unlock(&profile->lock);
	return stored;
}

/**
 * profil_profile_retire_killable() - the same, for who may be kept waiting
 * @profile: referenced by the caller
 * @stored: receives PCs that it had stored
 *
 * Another thread may hold the lock while it waits for memory that a userfault
 * handler or a file system is to provide.
 *
 * Context: Process context, may sleep.
 * Return: 0 or -EINTR.
 */
int profil_profile_retire_killable(struct profil_profile *profile, u64 *stored)
{
	if (mutex_lock_killable(&profile->lock))
		return -EINTR;
	*stored = retire_locked(profile);
	mutex_unlock(&profile->lock);
	return 0;
}

/**
 * profil_profile_succeed() - end a profile whose image the heir has taken
 * @profile: its lock is held
 * @heir: published in its place; its lock is held too, and its pins may share
 *	pages with @profile's
 * @stored: receives the PCs that @profile had stored
 *
 * Context: Process context, may sleep.
 */
void profil_profile_succeed(struct profil_profile *profile, struct profil_profile *heir,
			    u64 *stored)
{
	*stored = release_unpublished(profile, pins_of(heir));
}

/*
 * Without the lock while user memory is read: that may take for ever.  The
 * policy that is taken over is the same in every layout of a profile.
 */
static struct profil_layout *updated_layout(struct profil_profile *profile,
					    const struct profil_update *update)
{
	struct profil_layout *old = NULL, *layout;
	struct profil_pins *pins;
	int err = -ENOENT;

	if (mutex_lock_killable(&profile->lock))
		return ERR_PTR(-EINTR);
	pins = pins_of(profile);
	if (pins)
		err = pins->mm == current->mm ? 0 : -EPERM;
	if (!err)
		old = profil_layout_get(pins->layout);
	mutex_unlock(&profile->lock);
	if (err)
		return ERR_PTR(err);
	layout = profil_layout_update(old, update);
	profil_layout_put(old);
	return layout;
}

/**
 * profil_profile_update() - other regions, at once for every tick
 * @profile: an attached profile
 * @update: the regions, not yet checked
 *
 * Context: Process context, may sleep.
 * Return: 0, -ENOENT when it is retired, -EPERM from another address space
 * than its counters', or as profil_layout_create() and profil_pins_create().
 */
int profil_profile_update(struct profil_profile *profile, const struct profil_update *update)
{
	struct profil_layout *layout = updated_layout(profile, update);
	struct profil_pins *old, *pins;
	int err;

	if (IS_ERR(layout))
		return PTR_ERR(layout);
	err = -EINTR;
	if (mutex_lock_killable(&profile->lock))
		goto put_layout;
	err = -ENOENT;
	old = pins_of(profile);
	if (!old)
		goto unlock;
	pins = profil_pins_create(layout, profile->user, old, false);
	err = PTR_ERR_OR_ZERO(pins);
	if (err)
		goto unlock;

	profil_pins_share(pins, old);
	rcu_assign_pointer(profile->pins, pins);
	/* Either who stops it now finds the new pins, or we see that it is off. */
	smp_mb();
	if (READ_ONCE(profile->state) != PROFIL_STATE_RUNNING)
		profil_pins_slow(pins);
	profil_clock_sync();
	profil_pins_take_over(pins, old);
	profil_pins_release(old);
unlock:
	mutex_unlock(&profile->lock);
put_layout:
	profil_layout_put(layout);
	return err;
}

/**
 * profil_profile_stop() - stop counting, by itself
 * @profile: a profile; no effect unless it runs
 * @why: the &enum profil_state it is in from now on
 *
 * Its clock is given up soon after, in process context.
 *
 * Context: The tick, or process context under @profile's lock: so its pins stay.
 */
void profil_profile_stop(struct profil_profile *profile, u32 why)
{
	struct profil_pins *pins;

	/* Its barrier pairs with that of profil_profile_update(). */
	if (cmpxchg(&profile->state, PROFIL_STATE_RUNNING, why) != PROFIL_STATE_RUNNING)
		return;
	pins = rcu_dereference_check(profile->pins,
				     in_hardirq() || lockdep_is_held(&profile->lock));
	if (pins)
		profil_pins_slow(pins);
	irq_work_queue(&settle_irq);
}

/**
 * profil_profile_check() - look whether its memory is still there
 * @profile: its lock is held
 *
 * Only from the address space that holds the counters; else no effect.
 *
 * Context: Process context, may sleep.
 * Return: 0, or -EINTR.
 */
int profil_profile_check(struct profil_profile *profile)
{
	struct profil_pins *pins = pins_of(profile);
	int err;

	lockdep_assert_held(&profile->lock);
	if (!pins || pins->mm != current->mm)
		return 0;
	err = profil_pins_check(pins);
	WRITE_ONCE(profile->next_check, jiffies + check_interval(pins->layout));
	if (err == -EFAULT && !(profile->flags & PROFIL_FAULT_REGION))
		profil_profile_stop(profile, PROFIL_STATE_FAULT);
	/* Without memory nothing is known: next time. */
	return err == -EINTR ? err : 0;
}

/*
 * In the profiled task, on its way to user space or into its exit, where it
 * has no memory any more.  Whoever holds the lock does something better.
 */
static void check_work(struct callback_head *check)
{
	struct profil_profile *profile = container_of(check, struct profil_profile, check);

	if (current->mm && mutex_trylock(&profile->lock)) {
		/* -EINTR: the task is killed and looks at nothing any more. */
		profil_profile_check(profile);
		mutex_unlock(&profile->lock);
	}
	clear_bit_unlock(0, &profile->checking);
	profil_profile_put(profile);
}

static void queue_check(struct profil_profile *profile)
{
	if (test_and_set_bit_lock(0, &profile->checking))
		return;
	if (profil_profile_get(profile)) {
		if (!task_work_add(current, &profile->check, TWA_RESUME))
			return;
		profil_profile_put(profile);
	}
	clear_bit_unlock(0, &profile->checking);
}

/**
 * profil_profile_checkpoint() - what need not be done at every tick
 * @profile: a profile of current's address space
 * @tally: this CPU's, whose countdown has reached 0
 * @user: the tick has interrupted user mode
 *
 * The memory of a self profile is looked at by current on its way to user
 * space.  From kernel mode that way may be long, or there may be none; so wait
 * for a tick in user mode.  That of an attached profile is the attacher's, for
 * which no target is to wait: it is looked at when he asks for the status.
 *
 * Context: Hard interrupt, interrupts off.
 */
void profil_profile_checkpoint(struct profil_profile *profile, struct profil_tally *tally,
			       bool user)
{
	bool self = !profile->session && READ_ONCE(profile->state) == PROFIL_STATE_RUNNING;
	bool due = self && time_after_eq(jiffies, READ_ONCE(profile->next_check));
	u64 ticks = due && !user ? 1 : profile->checkpoint;

	tally->granted += ticks;
	/* Pairs with smp_rmb() in ticks_of(): who sees the one sees the other. */
	smp_wmb();
	tally->countdown = ticks;
	if (due && user)
		queue_check(profile);
}

/**
 * profil_profile_status() - what became of its ticks
 * @profile: a profile
 * @status: everything but size, flags and profile is filled in
 *
 * Context: Process context, may sleep.
 * Return: 0 or -EINTR.
 */
int profil_profile_status(struct profil_profile *profile, struct profil_status *status)
{
	struct profil_pins *pins;
	struct profil_sum sum;
	int err;

	if (mutex_lock_killable(&profile->lock))
		return -EINTR;
	err = profil_profile_check(profile);
	profil_tally_sum(profile->tally, &sum);
	profil_sum_fill(&sum, status);
	pins = pins_of(profile);
	status->state = READ_ONCE(profile->state);
	status->period = profile->period;
	status->stored = stored_pcs(profile);
	status->pinned = pins ? (u64)pins->held << PAGE_SHIFT : 0;
	status->processes = READ_ONCE(profile->nr_images);
	status->forks_lost = atomic_read(&profile->forks_lost);
	mutex_unlock(&profile->lock);
	return err;
}

static void settle(struct profil_profile *profile)
{
	struct profil_pins *pins;

	/* Its holder is at work on it; look again later. */
	if (!mutex_trylock(&profile->lock)) {
		WRITE_ONCE(settle_wanted, true);
		return;
	}
	pins = pins_of(profile);
	if (pins && !atomic_read(&pins->mm->mm_users)) {
		profil_profile_stop(profile, PROFIL_STATE_STOPPED);
		retire_locked(profile);
	}
	if (READ_ONCE(profile->state) != PROFIL_STATE_RUNNING)
		profil_clock_put(&profile->clock);
	mutex_unlock(&profile->lock);
}

/**
 * profil_profile_settle() - give up the clocks of what has stopped by itself
 * @always: look even if nothing has said that it did
 *
 * Also ends profiles whose counters' address space has ended: an inherited
 * descriptor, or a ring, may outlive the attacher.
 *
 * Context: Process context, may sleep.
 * Return: true when it has to be asked again.
 */
bool profil_profile_settle(bool always)
{
	struct profil_profile *profile;

	if (!xchg(&settle_wanted, false) && !always)
		return false;
	mutex_lock(&profil_profiles_lock);
	list_for_each_entry(profile, &profil_profiles, link) {
		settle(profile);
		cond_resched();
	}
	mutex_unlock(&profil_profiles_lock);
	return READ_ONCE(settle_wanted);
}

/**
 * profil_profile_exit() - wait for what ticks have left to be done
 *
 * Context: Process context; the clock may still tick, but meets nothing.
 */
void profil_profile_exit(void)
{
	irq_work_sync(&settle_irq);
}

static struct profil_profile *next_unretired(void)
{
	struct profil_profile *profile;

	lockdep_assert_held(&profil_profiles_lock);
	list_for_each_entry(profile, &profil_profiles, link) {
		if (READ_ONCE(profile->retired) || !profil_profile_get(profile))
			continue;
		/* So that the next search need not pass it again. */
		list_move_tail(&profile->link, &profil_profiles);
		return profile;
	}
	return NULL;
}

/**
 * profil_profile_stop_all() - end every profile on the machine
 *
 * Context: Process context, may sleep; ends early on a fatal signal.
 */
void profil_profile_stop_all(void)
{
	struct profil_profile *profile;

	while (!fatal_signal_pending(current)) {
		mutex_lock(&profil_profiles_lock);
		profile = next_unretired();
		mutex_unlock(&profil_profiles_lock);
		if (!profile)
			return;
		/* Its holder may wait for a file system that never answers. */
		if (!mutex_lock_killable(&profile->lock)) {
			profil_profile_stop(profile, PROFIL_STATE_STOPPED);
			retire_locked(profile);
			mutex_unlock(&profile->lock);
		}
		profil_profile_put(profile);
	}
}
