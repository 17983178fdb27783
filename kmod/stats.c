// SPDX-License-Identifier: GPL-2.0-only
/*
 * A counter for each way a tick can end: adding up.
 */
#include "stats.h"

#include "clock.h"

#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/profil.h>
#include <linux/spinlock.h>

struct profil_totals profil_totals;

/* What the CPUs add their shares to, one after the other. */
struct collection {
	raw_spinlock_t lock;	/* guards *sum */
	struct profil_tally __percpu *tally;
	struct profil_sum *sum;
};

/**
 * profil_sum_add() - add ticks and causes
 * @sum: to this
 * @more: what is added
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

/* What another CPU's tick may be changing: a word is read whole, and may be old. */
static u64 look_at(const u64 *word)
{
	/* The tick pays for no more than a plain store. */
	return data_race(READ_ONCE(*word));
}

/* A reader on another CPU may come into a checkpoint, where the countdown is 0. */
static u64 ticks_of(const struct profil_tally *tally)
{
	u64 granted, countdown;

	do {
		granted = look_at(&tally->granted);
		/* Both pair with smp_wmb() in profil_profile_checkpoint(). */
		smp_rmb();
		countdown = look_at(&tally->countdown);
		/* As above. */
		smp_rmb();
	} while (!countdown || granted != look_at(&tally->granted));
	return granted - countdown;
}

static void add_share(struct profil_sum *sum, const struct profil_tally *tally)
{
	unsigned int i;

	sum->ticks += ticks_of(tally);
	for (i = 0; i < PROFIL_NR_CAUSES; i++)
		sum->cause[i] += look_at(&tally->cause[i]);
}

static void collect(unsigned int cpu, void *data)
{
	struct collection *all = data;
	unsigned long flags;

	raw_spin_lock_irqsave(&all->lock, flags);
	add_share(all->sum, per_cpu_ptr(all->tally, cpu));
	raw_spin_unlock_irqrestore(&all->lock, flags);
}

/**
 * profil_tally_sum() - add up the shares of all CPUs
 * @tally: the shares
 * @sum: receives the sum
 *
 * Every CPU adds its own share between two ticks; so the causes add up to the
 * ticks while the profile runs, too.
 *
 * Context: Process context, may sleep.
 */
void profil_tally_sum(struct profil_tally __percpu *tally, struct profil_sum *sum)
{
	struct collection all = { .tally = tally, .sum = sum };

	memset(sum, 0, sizeof(*sum));
	raw_spin_lock_init(&all.lock);
	profil_clock_each_cpu(collect, &all);
}

/**
 * profil_tally_peek() - the same without disturbing any CPU
 * @tally: the shares
 * @sum: receives the sum, exact if no tick meets the profile any more; else a
 *	tick that comes meanwhile may be in one number and not in another
 *
 * Context: Process context.
 */
void profil_tally_peek(struct profil_tally __percpu *tally, struct profil_sum *sum)
{
	unsigned int cpu;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu)
		add_share(sum, per_cpu_ptr(tally, cpu));
}

/**
 * profil_sum_fill() - in the words of the user's structure
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
