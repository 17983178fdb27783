/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A section: a stretch of a CPU's work on profiles, with interrupts off.
 *
 * Each CPU numbers its sections, and the number is odd inside one.  So other CPUs can
 * wait for the section that runs now, or read what sections write and know whether it
 * is consistent, without interrupting the CPU.
 *
 * Context: hard interrupt; also process context with interrupts off
 */
#ifndef PROFIL_SECTION_H
#define PROFIL_SECTION_H

#include "base/arch.h"

#include <linux/percpu.h>
#include <linux/types.h>
#include <asm/barrier.h>

DECLARE_PER_CPU(unsigned long, profil_section);

/**
 * profil_section_enter() - begin a section
 *
 * Context: Interrupts off; sections do not nest.
 */
static __always_inline void profil_section_enter(void)
{
	this_cpu_inc(profil_section);
	/*
	 * Pairs with smp_mb() in profil_sections_settle(): either that sees the odd number,
	 * or this section sees what was unpublished before.  It also orders the number
	 * before what the section writes, for profil_tally_sum().
	 */
	smp_mb();
}

/**
 * profil_section_leave() - end a section
 *
 * Context: Interrupts off.
 */
static __always_inline void profil_section_leave(void)
{
	/* A release; pairs with smp_cond_load_acquire() in profil_section_settled(). */
	profil_this_cpu_inc_release(&profil_section);
}

/**
 * profil_section_inside() - is this CPU in a section?
 *
 * Context: Interrupts off.
 * Return: true if it is: then another must not be entered.
 */
static __always_inline bool profil_section_inside(void)
{
	return this_cpu_read(profil_section) & 1;
}

/**
 * profil_section_settled() - wait until a CPU is in no section
 * @cpu: the CPU
 *
 * A section is short: it runs with interrupts off, and bounds what it does.
 *
 * Context: Any but hard interrupt.
 * Return: its section number, which is even.
 */
static inline unsigned long profil_section_settled(unsigned int cpu)
{
	return smp_cond_load_acquire(per_cpu_ptr(&profil_section, cpu), !(VAL & 1));
}

/**
 * profil_section_changed() - has a CPU begun a section since?
 * @cpu: the CPU
 * @settled: what profil_section_settled() has returned
 *
 * Context: Any.
 * Return: true if what was read since then may be inconsistent.
 */
static inline bool profil_section_changed(unsigned int cpu, unsigned long settled)
{
	/* Orders what was read before the number; pairs with profil_section_enter(). */
	smp_rmb();
	return READ_ONCE(*per_cpu_ptr(&profil_section, cpu)) != settled;
}

void profil_sections_settle(void);

#endif /* PROFIL_SECTION_H */
