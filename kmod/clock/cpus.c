// SPDX-License-Identifier: GPL-2.0-only
/*
 * Other CPUs: make them look at their current tasks, and wait until their sections end.
 *
 * Context: process
 */
#include "clock/cpus.h"

#include "clock/clock.h"
#include "profile/work.h"
#include "tick/section.h"

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/mm_types.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

/* The last time when profil_clock_look() has called other CPUs, in jiffies. */
static unsigned long looked;
static void profil_clock_look_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(look_later, profil_clock_look_work);

/**
 * profil_clock_look_here() - look at the task on this CPU, which is now profiled
 *
 * Context: Any but hard interrupt.
 */
void profil_clock_look_here(void)
{
	profil_clock_look_t look = profil_clock_looks();
	unsigned long flags;

	if (!look)
		return;
	local_irq_save(flags);
	if (cpumask_test_cpu(smp_processor_id(), profil_clock_ticking()))
		look(NULL);
	local_irq_restore(flags);
}

static void profil_clock_look_work(struct work_struct *work)
{
	on_each_cpu_mask(profil_clock_ticking(), profil_clock_looks(), NULL, 0);
}

/**
 * profil_clock_look_all() - look at all running tasks, any of which may now be profiled
 *
 * The clock itself finds tasks that are switched in after this call.  Users may start profiles
 * as often as they like, so other CPUs are called at most twice in a jiffy: once at once, and
 * once for a look that was postponed in the previous jiffy.
 *
 * Context: Process context.
 */
void profil_clock_look_all(void)
{
	profil_clock_look_t look = profil_clock_looks();
	unsigned long last = READ_ONCE(looked);

	if (!look)
		return;
	if (!time_after(jiffies, last) || cmpxchg(&looked, last, jiffies) != last)
		queue_delayed_work(profil_wq, &look_later, 1);
	else
		on_each_cpu_mask(profil_clock_ticking(), look, NULL, 0);
}

/**
 * profil_clock_look() - look at the tasks of an address space, which are now profiled
 * @mm: the address space, which cannot go away during the call
 *
 * (It would not do to call only the CPUs in mm_cpumask(): a task that is being switched in
 * may be past the probe, and its CPU not in the mask yet.)
 *
 * Context: Process context.
 */
void profil_clock_look(struct mm_struct *mm)
{
	profil_clock_look_here();
	/* Unless current is its only task. */
	if (mm != current->mm || atomic_read(&mm->mm_users) != 1)
		profil_clock_look_all();
}

/**
 * profil_clock_look_exit() - wait for looks that are still to be made
 *
 * Context: Process context; no profile is left.
 */
void profil_clock_look_exit(void)
{
	cancel_delayed_work_sync(&look_later);
}

/**
 * profil_clock_sync() - wait for the sections that run now
 *
 * Ticks, and threads that count deferred ticks, are in sections.  On a CPU that is in
 * none, the next one sees everything that the caller had unpublished.  Pairs with
 * profil_section_enter(), and the rcu_dereference() and READ_ONCE() of sample.c
 * and sample.h.
 *
 * Context: Process context.
 */
void profil_clock_sync(void)
{
	unsigned int cpu;

	/* Orders the caller's unpublishing before the look at each CPU. */
	smp_mb();
	for_each_possible_cpu(cpu)
		profil_section_settled(cpu);
}
