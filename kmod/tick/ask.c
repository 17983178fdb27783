// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ticks of kernel threads that are in no recording yet.
 *
 * A kernel thread never returns to user mode, so a work item finds out whose its first ticks
 * are (record/thread.c).  Later ones find its watch.
 *
 * Context: hard interrupt
 */
#include "tick/ask.h"

#include "profile/profile.h"

#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

#include <asm/barrier.h>

DEFINE_PER_CPU(struct profil_asked[PROFIL_ASKED], profil_asked);
struct irq_work profil_ask_irq;

/**
 * profil_ask_thread() - have a tick of current counted once its owner is known
 * @profile: a recording
 * @place: where in the kernel the tick came
 *
 * Context: The tick; current is a kernel thread.
 * Return: false if too many wait already.
 */
bool profil_ask_thread(struct profil_profile *profile, u64 place)
{
	struct profil_asked *asked = *this_cpu_ptr(&profil_asked);
	unsigned int i;

	for (i = 0; i < PROFIL_ASKED; i++, asked++)
		if (!smp_load_acquire(&asked->task))	/* the work has left it */
			break;
	if (i == PROFIL_ASKED || !profil_profile_get(profile))
		return false;
	asked->profile = profile;
	asked->place = place;
	smp_store_release(&asked->task, get_task_struct(current));	/* now it is whole */
	irq_work_queue(&profil_ask_irq);	/* the tick must not take a work queue's locks */
	return true;
}
