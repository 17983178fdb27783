// SPDX-License-Identifier: GPL-2.0-only
/*
 * The profile: its pins, policy and states, the references to it, and the sum of its ticks.
 *
 * A profile can be reached by
 *  - the tick, through a binding, a watch or profil_everybody[], under RCU.  It uses the pins
 *    that it finds there; these are released only after profil_sections_settle().
 *  - the fork and exec probes, through bindings and watches, under the lock of the
 *    bucket.
 *  - a deferral, a question, a queued check or refill, a command: each holds a reference.
 *  - the sweep, through the list of all profiles, under profil_profiles_lock,
 *    which profil_profile_end_work() takes to leave that list.
 * Dropping the last reference queues that work for after a grace period, because a
 * tick may still use a profile whose binding was just removed.
 *
 * Each CPU counts its own ticks, with one counter for each outcome; readers add up the CPUs.
 *
 * Lock order: Documentation/locking.md.
 *
 * Context: process, except functions that say otherwise
 */
#include "profile/recording.h"

#include "base/limits.h"
#include "memory/pins.h"

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

/* CPU time between two checkpoints. */
#define CHECKPOINT_NS	(25 * NSEC_PER_MSEC)
/* The same for an event, in samples, because an event has no fixed rate. */
#define CHECKPOINT_EVENTS	128

/* Guards the list of all profiles, and the totals of profiles that have ended. */
DEFINE_MUTEX(profil_profiles_lock);
LIST_HEAD(profil_profiles);
struct profil_totals profil_totals;

/**
 * profil_sum_add() - add ticks and causes
 * @sum: the sum
 * @more: the ticks and causes to add to it
 *
 * Context: Any.
 */
void profil_sum_add(struct profil_sum *sum, const struct profil_sum *more)
{
	unsigned int i;

	sum->ticks += more->ticks;
	for (i = 0; i < PROFIL_NR_CAUSES; i++)
		sum->cause[i] += more->cause[i];
}

/* READ_ONCE() prevents a torn read; if a section has changed the word, the caller reads again. */
static u64 profil_tally_word(const u64 *word)
{
	/* The tick uses plain stores, to stay cheap. */
	return data_race(READ_ONCE(*word));
}

static void profil_tally_read(const struct profil_tally *tally, struct profil_sum *share)
{
	unsigned int i;

	share->ticks = profil_tally_word(&tally->granted) - profil_tally_word(&tally->countdown);
	for (i = 0; i < PROFIL_NR_CAUSES; i++)
		share->cause[i] = profil_tally_word(&tally->cause[i]);
}

/**
 * profil_tally_sum() - add up the shares of all CPUs without interrupting any
 * @tally: the shares
 * @sum: receives the sum.  Each CPU's share is read between two sections, so the causes
 *	add up to the ticks even while ticks come
 *
 * Context: Any but hard interrupt, which may have interrupted a section.
 */
void profil_tally_sum(const struct profil_tally *tally, struct profil_sum *sum)
{
	struct profil_sum share;
	unsigned long settled;
	unsigned int cpu;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		do {
			settled = profil_section_settled(cpu);
			profil_tally_read(&tally[cpu], &share);
		} while (profil_section_changed(cpu, settled));
		profil_sum_add(sum, &share);
	}
}

/**
 * profil_sum_fill() - copy a sum into the structure of PROFIL_STATUS
 * @sum: the sum over all CPUs
 * @status: its ticks and causes are filled in
 *
 * Context: Any.
 */
void profil_sum_fill(const struct profil_sum *sum, struct profil_status *status)
{
	status->ticks = sum->ticks;
	status->counted = sum->cause[PROFIL_COUNTED];
	status->outside = sum->cause[PROFIL_OUTSIDE];
	status->saturated = sum->cause[PROFIL_SATURATED];
	status->kernel = sum->cause[PROFIL_KERNEL];
	status->no_user_pc = sum->cause[PROFIL_NO_USER_PC];
	status->off = sum->cause[PROFIL_OFF];
	status->lost_late = sum->cause[PROFIL_LATE];
	status->lost_contended = sum->cause[PROFIL_CONTENDED];
	status->lost_full = sum->cause[PROFIL_FULL];
}

static void profil_profile_end_work(struct work_struct *work)
{
	struct profil_profile *profile = container_of(to_rcu_work(work), struct profil_profile,
						      free);
	struct profil_pins *pins;
	struct profil_sum sum;

	/* Leave the list first: the sweep also ends profiles that it finds there. */
	profil_tally_sum(profile->tally, &sum);
	mutex_lock(&profil_profiles_lock);
	list_del(&profile->link);	/* no effect if it was never listed */
	profil_sum_add(&profil_totals.ended, &sum);
	mutex_unlock(&profil_profiles_lock);

	/* The sweep may have dropped the last reference to a profile that was never ended. */
	profil_claim_put(&profile->claim);
	pins = rcu_dereference_protected(profile->pins, true);
	if (pins)
		profil_pins_release(pins);

	atomic_dec(&profil_totals.profiles);
	kvfree(profile->tally);
	kfree(profile->deferral);
	profil_recording_free(profile->recording);
	profil_pool_empty(&profile->births);
	profil_user_uncharge_profile(profile->user, 1, profile->rate);
	profil_user_put(profile->user);
	kfree(profile);
	module_put(THIS_MODULE);
}

/*
 * The next number of SplitMix64 (Steele, Lea and Flood, 2014), whose numbers look independent.
 * get_random_u64() takes ten times as long, and nobody gains anything by guessing these.
 */
static u64 profil_profile_random(void)
{
	static atomic64_t state;
	u64 x = atomic64_add_return(0x9e3779b97f4a7c15ULL, &state);

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/* Random credit keeps profiles, and the CPUs of one profile, from sampling in step. */
static void profil_profile_init_tally(struct profil_profile *profile)
{
	struct profil_tally *tally;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		tally = &profile->tally[cpu];
		tally->credit = mul_u64_u64_shr(profil_profile_random(), profile->period, 64);
		tally->countdown = profile->checkpoint;
		tally->granted = profile->checkpoint;
	}
}

static struct profil_profile *profil_profile_alloc(const struct profil_layout *layout, u64 rate,
						   bool privileged)
{
	struct profil_profile *profile;
	int err = -ENOMEM;

	profile = kzalloc(sizeof(*profile), GFP_KERNEL_ACCOUNT);
	if (!profile)
		return ERR_PTR(-ENOMEM);
	profile->user = profil_user_get();
	if (!profile->user)
		goto free_profile;
	err = profil_user_charge_profile(profile->user, rate);
	if (err)
		goto put_user;
	err = -ENOMEM;
	profile->tally = kvcalloc(nr_cpu_ids, sizeof(*profile->tally), GFP_KERNEL_ACCOUNT);
	if (!profile->tally)
		goto uncharge;

	profile->rate = rate;
	profile->privileged = privileged;
	profile->period = layout->how.period;
	profile->checkpoint = layout->how.flags & PROFIL_EVENT ? CHECKPOINT_EVENTS :
			      max(div64_u64(CHECKPOINT_NS, profile->period), 1ULL);
	profile->flags = layout->how.flags;
	profile->state = PROFIL_STATE_RUNNING;
	kref_init(&profile->refs);
	mutex_init(&profile->lock);
	RB_CLEAR_NODE(&profile->claim.node);
	profile->claim.privileged = privileged;
	raw_spin_lock_init(&profile->bindings_lock);
	INIT_LIST_HEAD(&profile->bindings);
	INIT_RCU_WORK(&profile->free, profil_profile_end_work);
	profil_profile_init_tally(profile);

	INIT_LIST_HEAD(&profile->link);
	atomic_inc(&profil_totals.profiles);
	__module_get(THIS_MODULE);
	return profile;

uncharge:
	profil_user_uncharge_profile(profile->user, 1, rate);
put_user:
	profil_user_put(profile->user);
free_profile:
	kfree(profile);
	return ERR_PTR(err);
}

/**
 * profil_profile_create() - create a profile without a binding
 * @layout: its regions and policy, with the counters in current's memory
 * @session: the session that owns it, or NULL for a self profile
 *
 * Context: Process context, may sleep; without locks that others could wait for.
 * Return: the profile with one reference, or an ERR_PTR: -ENOMEM, -EDQUOT,
 * -EBUSY, -EFAULT, -EINTR.
 */
struct profil_profile *profil_profile_create(struct profil_layout *layout,
					     const struct profil_session *session)
{
	struct profil_profile *profile;
	bool privileged = perfmon_capable();
	struct profil_pins *pins;
	u64 rate = 0;

	/* Rate budgets apply only to users without CAP_PERFMON, and only to the clock. */
	if (!privileged && !(layout->how.flags & PROFIL_EVENT))
		rate = DIV64_U64_ROUND_UP(NSEC_PER_SEC, layout->how.period);
	profile = profil_profile_alloc(layout, rate, privileged);
	if (IS_ERR(profile))
		return profile;
	profile->session = session;
	pins = profil_pins_create(layout, &profile->lock, profile->user);
	if (IS_ERR(pins)) {
		profil_profile_put(profile);
		return ERR_CAST(pins);
	}
	RCU_INIT_POINTER(profile->pins, pins);
	return profile;
}

/* Return: the PC in an element of the array; 0 if it has none, or its page is not pinned. */
static u64 profil_samples_get(const struct profil_pins *pins, u64 index)
{
	u64 position = profil_layout_sample(pins->layout, index);
	const void *page = pins->page[position >> PAGE_SHIFT];
	const void *element = page + offset_in_page(position);

	if (!page)
		return 0;
	if (pins->layout->how.sample_width == 4)
		return READ_ONCE(*(const u32 *)element);
	return READ_ONCE(*(const u64 *)element);
}

/* As profil_samples_get(), but read from current's memory, whether pinned or not. */
static u64 profil_samples_read(const struct profil_start *how, u64 index)
{
	u64 address = how->samples + index * how->sample_width, pc;
	u32 narrow;

	if (how->sample_width == 4)
		return get_user(narrow, (u32 __user *)u64_to_user_ptr(address)) ? 0 : narrow;
	return get_user(pc, (u64 __user *)u64_to_user_ptr(address)) ? 0 : pc;
}

/* Return: false if the element cannot be written. */
static bool profil_samples_write(const struct profil_start *how, u64 index, u64 pc)
{
	u64 address = how->samples + index * how->sample_width;

	if (how->sample_width == 4)
		return !put_user((u32)pc, (u32 __user *)u64_to_user_ptr(address));
	return !put_user(pc, (u64 __user *)u64_to_user_ptr(address));
}

static u64 profil_samples_of(struct profil_profile *parent, const struct profil_layout *layout,
			     u64 index)
{
	const struct profil_pins *pins;
	u64 pc = 0;

	mutex_lock(&parent->lock);
	pins = profil_profile_pins(parent);
	if (pins && pins->layout == layout)
		pc = profil_samples_get(pins, index);
	mutex_unlock(&parent->lock);
	return pc;
}

/* Called between two elements.  Return: false if current is killed, and will not read the PCs. */
static bool profil_samples_go_on(u64 index)
{
	if (index % PAGE_SIZE)
		return true;
	cond_resched();
	return !fatal_signal_pending(current);
}

/*
 * Fork copies memory page by page, so PCs that the parent's ticks stored during the
 * fork are missing at the ends of pages: copy them from the parent.  PCs that can no
 * longer be fetched stay missing in the child.  Return: the number of PCs in the child,
 * without missing ones at the end.
 */
static u64 profil_samples_complete(const struct profil_layout *layout,
				   struct profil_profile *parent, u64 stored)
{
	const struct profil_start *how = &layout->how;
	u64 i, pc;

	for (i = 0; i < stored; i++) {
		if (!profil_samples_read(how, i)) {
			pc = profil_samples_of(parent, layout, i);
			if (pc && !profil_samples_write(how, i, pc))
				break;
		}
		if (!profil_samples_go_on(i))
			break;
	}
	while (stored && !profil_samples_read(how, stored - 1) && profil_samples_go_on(stored))
		stored--;
	return stored;
}

/**
 * profil_profile_create_child() - create the profile of a forked process
 * @layout: the parent's layout, for the same addresses in current's memory
 * @parent: the parent's profile, referenced
 * @state: the parent's state at the fork; a profile that was off stays off, but
 *	still reports @stored
 * @stored: the parent's number of stored PCs at the fork
 *
 * Context: Process context in the child, may sleep.
 * Return: as profil_profile_create().
 */
struct profil_profile *profil_profile_create_child(struct profil_layout *layout,
						   struct profil_profile *parent, u32 state,
						   u64 stored)
{
	struct profil_profile *profile = profil_profile_alloc(layout, 0, perfmon_capable());
	struct profil_pins *pins = NULL;
	struct profil_gate *gate;

	if (IS_ERR(profile))
		return profile;
	profile->state = state;
	if (state == PROFIL_STATE_RUNNING)
		pins = profil_pins_create(layout, &profile->lock, profile->user);
	if (IS_ERR(pins)) {
		profil_profile_put(profile);
		return ERR_CAST(pins);
	}
	RCU_INIT_POINTER(profile->pins, pins);
	if (pins && layout->how.samples)
		stored = profil_samples_complete(layout, parent, stored);
	atomic64_set(&profile->stored, stored);
	/* The value that fork copied may be from a different moment. */
	gate = pins ? profil_pins_gate(pins) : NULL;
	if (gate)
		WRITE_ONCE(gate->stored, stored);
	return profile;
}

/**
 * profil_profile_get_pins() - get the pins, referenced
 * @profile: a profile
 *
 * They may be replaced at any time: before changing them, check their @gone under their @lock.
 *
 * Context: Process context.
 * Return: the pins, or NULL if the profile has ended.
 */
struct profil_pins *profil_profile_get_pins(struct profil_profile *profile)
{
	struct profil_pins *pins;

	mutex_lock(&profile->lock);
	pins = profil_profile_pins(profile);
	if (pins)
		refcount_inc(&pins->refs);
	mutex_unlock(&profile->lock);
	return pins;
}
