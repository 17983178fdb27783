// SPDX-License-Identifier: GPL-2.0-only
/*
 * A counter for each outcome of a tick: adding them up.
 *
 * Context: any
 */
#include "profile/stats.h"

#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/profil.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>

struct profil_totals profil_totals;

/**
 * profil_sum_add() - add ticks and causes
 * @sum: added to
 * @more: added to @sum
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

/* Another CPU's tick may be changing it: the word is read whole, but may be stale. */
static u64 profil_tally_word(const u64 *word)
{
	/* The tick uses plain stores, to stay cheap. */
	return data_race(READ_ONCE(*word));
}

/* A reader on another CPU may see a checkpoint half-way, where the countdown is 0. */
static u64 profil_tally_ticks(const struct profil_tally *tally)
{
	u64 granted, countdown;

	do {
		granted = profil_tally_word(&tally->granted);
		/* Both pair with smp_wmb() in profil_profile_checkpoint(). */
		smp_rmb();
		countdown = profil_tally_word(&tally->countdown);
		/* As above. */
		smp_rmb();
	} while (!countdown || granted != profil_tally_word(&tally->granted));
	return granted - countdown;
}

static void profil_tally_add(struct profil_sum *sum, const struct profil_tally *tally)
{
	unsigned int i;

	sum->ticks += profil_tally_ticks(tally);
	for (i = 0; i < PROFIL_NR_CAUSES; i++)
		sum->cause[i] += profil_tally_word(&tally->cause[i]);
}

/* Deferred ticks are counted on any CPU, under this lock. */
static void profil_tally_add_deferred(struct profil_sum *sum, const struct profil_tally *tally,
				      raw_spinlock_t *lock)
{
	raw_spin_lock(lock);
	profil_tally_add(sum, tally);
	raw_spin_unlock(lock);
}

/**
 * profil_tally_collect() - add the share of one CPU
 * @cpu: the CPU; no tick comes there meanwhile
 * @data: the &struct profil_collection that it is added to
 *
 * Context: Any, hard interrupt included.
 */
void profil_tally_collect(unsigned int cpu, void *data)
{
	struct profil_collection *all = data;
	unsigned long flags;

	raw_spin_lock_irqsave(&all->lock, flags);
	if (all->deferred)
		profil_tally_add_deferred(all->sum, per_cpu_ptr(all->tally, cpu), all->deferred);
	else
		profil_tally_add(all->sum, per_cpu_ptr(all->tally, cpu));
	raw_spin_unlock_irqrestore(&all->lock, flags);
}

/**
 * profil_tally_collect_here() - add the share of this CPU
 * @data: the &struct profil_collection that it is added to
 *
 * Context: Any with interrupts off: an inter-processor call.
 */
void profil_tally_collect_here(void *data)
{
	profil_tally_collect(smp_processor_id(), data);
}

/**
 * profil_tally_peek() - add up the shares of all CPUs without interrupting any
 * @tally: the shares
 * @sum: receives the sum; exact if no tick hits the profile any more, otherwise
 *	a tick that comes meanwhile may be in one number and not in another
 *
 * Context: Any except NMI: it would wait for the tick that it interrupted.
 */
void profil_tally_peek(struct profil_tally __percpu *tally, struct profil_sum *sum)
{
	unsigned int cpu;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu)
		profil_tally_add(sum, per_cpu_ptr(tally, cpu));
}

/**
 * profil_sum_fill() - copy a sum into the structure of PROFIL_STATUS
 * @sum: of all CPUs
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
	status->lost_exec = sum->cause[PROFIL_EXEC];
}
