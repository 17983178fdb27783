// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ticks of recordings that have to wait, because their owner or their text is not known.
 *
 * A tick cannot look these up.  If it came in user mode, its task does, before it executes another
 * instruction there (record/resolve.c).  A task in kernel mode may stay there for as long as it
 * likes, so a work item looks them up (record/unmet.c).  A task in the kernel uses at most one of a
 * CPU's places for each recording.  The tasks of one user cannot take all places of a mode, and the
 * ticks of one mode cannot take the places of another.
 *
 * Context: hard interrupt
 */
#include "tick/record.h"

#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>

struct profil_question __percpu *profil_questions;
struct irq_work profil_ask_irq;

/* Return: false if there is no room, or the work item has taken the ticks. */
static bool profil_ask_add(struct profil_question *question, u64 place)
{
	int ticks = atomic_read(&question->ticks);

	if (ticks >= PROFIL_QUESTION_TICKS)
		return false;
	question->place[ticks] = place;
	return atomic_cmpxchg(&question->ticks, ticks, ticks + 1) == ticks;
}

/* Return: the question that current has in kernel mode; otherwise a free place, or NULL. */
static struct profil_question *profil_ask_find(const struct profil_profile *profile,
					       unsigned long payer, enum profil_mode mode)
{
	struct profil_question *question = this_cpu_ptr(profil_questions), *room = NULL;
	unsigned int same = 0, all = 0, i;
	struct task_struct *task;

	for (i = 0; i < PROFIL_QUESTIONS; i++, question++) {
		task = smp_load_acquire(&question->task);	/* NULL once it is answered */
		if (!task) {
			room = question;
			/* Usually the first place is free: do not look at the others. */
			if (mode == PROFIL_MODE_USER && !i)
				break;
			continue;
		}
		if (question->mode != mode)
			continue;
		if (mode == PROFIL_MODE_KERNEL && task == current && question->profile == profile)
			return question;
		all++;
		same += question->payer == payer;
	}
	return same < PROFIL_QUESTIONS_USER && all < PROFIL_QUESTIONS_MODE ? room : NULL;
}

/**
 * profil_ask() - let a tick of current wait until its owner and its text are known
 * @profile: a recording
 * @owned: the owner of the tick; number 0 if that is not known
 * @place: as in &struct profil_question
 * @mode: the mode that current is in
 *
 * Context: The tick.
 * Return: false if the tick cannot wait.
 */
bool profil_ask(struct profil_profile *profile, struct profil_owned owned, u64 place,
		enum profil_mode mode)
{
	bool thread = current->flags & PF_KTHREAD;
	struct mm_struct *mm = thread ? NULL : current->mm;
	unsigned long payer = profil_payer();
	struct profil_question *question;

	/* Current exits, or the recording has stopped. */
	if ((!mm && !thread) || READ_ONCE(profile->state) != PROFIL_STATE_RUNNING)
		return false;
	question = profil_ask_find(profile, payer, mode);
	if (!question)
		return false;
	/* Add to current's question, unless current has executed another program since. */
	if (READ_ONCE(question->task))
		return question->mm == mm && profil_ask_add(question, place);
	question->profile = profile;
	question->mm = mm;
	question->payer = payer;
	question->mode = mode;
	question->owned = owned;
	question->place[0] = place;
	atomic_set(&question->ticks, 1);
	if (mode != PROFIL_MODE_KERNEL) {
		question->task = current;
		if (profil_profile_add_work(profile, &question->work))
			return true;
		question->task = NULL;
		return false;
	}
	if (!profil_profile_get(profile))
		return false;
	if (mm)
		mmgrab(mm);
	question->task = get_task_struct(current);
	smp_store_release(&question->kernel, true);	/* publish it */
	irq_work_queue(&profil_ask_irq);	/* the tick must not take a workqueue's locks */
	return true;
}
