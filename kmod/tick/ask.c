// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ticks in kernel mode that a work item counts (record/unmet.c): those of tasks that are in no
 * recording yet, and those that count where the task called the kernel, if its text is not known.
 *
 * The task cannot do it: it may stay in the kernel for as long as it likes.  A task has at most
 * one slot for each recording, and one user's tasks cannot take all slots.
 *
 * Context: hard interrupt
 */
#include "tick/record.h"

#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>

DEFINE_PER_CPU(struct profil_asked[PROFIL_ASKED], profil_asked);
struct irq_work profil_ask_irq;

/* Return: false if the slot is full, or the work item has taken its ticks. */
static bool profil_ask_add(struct profil_asked *asked, u64 place)
{
	int ticks = atomic_read(&asked->ticks);

	if (ticks >= PROFIL_ASKED_TICKS)
		return false;
	asked->place[ticks] = place;
	return atomic_cmpxchg(&asked->ticks, ticks, ticks + 1) == ticks;
}

/* Return: current's slot, or else a free one, or else NULL. */
static struct profil_asked *profil_ask_find(const struct profil_profile *profile)
{
	struct profil_asked *asked = *this_cpu_ptr(&profil_asked), *room = NULL;
	unsigned long payer = profil_payer();
	struct task_struct *task;
	unsigned int same = 0, i;

	for (i = 0; i < PROFIL_ASKED; i++, asked++) {
		task = smp_load_acquire(&asked->task);	/* the work item is done with it */
		if (task == current && asked->profile == profile)
			return asked;
		if (!task)
			room = asked;
		else
			same += asked->payer == payer;
	}
	return same < PROFIL_ASKED_USER ? room : NULL;
}

/**
 * profil_ask() - have a tick of current counted once its owner and its text are known
 * @profile: a recording
 * @owned: its owner; number 0 if that is not known
 * @place: as in &struct profil_asked
 *
 * Context: The tick.
 * Return: false if it cannot wait.
 */
bool profil_ask(struct profil_profile *profile, struct profil_owned owned, u64 place)
{
	struct mm_struct *mm = current->flags & PF_KTHREAD ? NULL : current->mm;
	struct profil_asked *asked = profil_ask_find(profile);

	if (!asked)
		return false;
	/* It has not executed another program since. */
	if (READ_ONCE(asked->task))
		return asked->mm == mm && profil_ask_add(asked, place);
	if (!profil_profile_get(profile))
		return false;
	if (mm)
		mmgrab(mm);
	asked->profile = profile;
	asked->mm = mm;
	asked->payer = profil_payer();
	asked->owned = owned;
	asked->place[0] = place;
	atomic_set(&asked->ticks, 1);
	smp_store_release(&asked->task, get_task_struct(current));	/* publish it */
	irq_work_queue(&profil_ask_irq);	/* the tick must not take a work queue's locks */
	return true;
}
