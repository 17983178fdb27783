// SPDX-License-Identifier: GPL-2.0-only
/*
 * A counter for each outcome of a tick: adding them up.
 *
 * Context: any
 */
#include "profile/profile.h"

#include <linux/cpumask.h>
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
 * @sum: receives the sum: of each CPU as it was between two sections, so that the
 *	causes add up to the ticks even while ticks come
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
	status->lost_full = sum->cause[PROFIL_FULL];
}
