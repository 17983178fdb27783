// SPDX-License-Identifier: GPL-2.0-only
/*
 * A section: a stretch of a CPU's work on profiles, with interrupts off.
 *
 * Context: hard interrupt; also process context with interrupts off
 */
#include "base/section.h"

#include <linux/cpumask.h>
#include <linux/percpu.h>

DEFINE_PER_CPU(unsigned long, profil_section);

/**
 * profil_sections_settle() - wait for the sections that run now
 *
 * Ticks are counted in sections, and so are deferred ticks.  A section that begins later no longer
 * finds what the caller has unpublished.  Pairs with profil_section_enter(), and with the
 * rcu_dereference() and READ_ONCE() of sample.c and sample.h.
 *
 * Context: Process context.
 */
void profil_sections_settle(void)
{
	unsigned int cpu;

	/* Orders the caller's unpublishing before the look at each CPU. */
	smp_mb();
	for_each_possible_cpu(cpu)
		profil_section_settled(cpu);
}
