// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ticks in kernel mode that wait for a work item.  The work item finds the owners of tasks that are
 * new to a system-wide recording, and the texts from which tasks called the kernel.
 *
 * The tasks cannot do this: a task may stay in a system call for as long as it likes, and a kernel
 * thread never leaves the kernel.
 *
 * Context: process
 */
#include "record/record.h"

#include "tick/sample.h"

#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/task_work.h>

/*
 * Count ticks at their places in the kernel or, with PROFIL_KERNEL_TICKS, at the PCs that called
 * the kernel, unless the memory there is gone.
 */
static void profil_unmet_count(struct profil_question *question, int ticks)
{
	u32 kernel = profil_owned_kernel(question->owned);
	bool calls = question->profile->flags & PROFIL_KERNEL_TICKS;
	u64 place;
	int i;

	for (i = 0; i < ticks; i++) {
		place = question->place[i];
		if (!calls)
			profil_resolve_count(question, kernel, place);
		else if (!question->mm || !place || !profil_resolve_call(question, place))
			profil_resolve_count(question, kernel, 0);
	}
}

/*
 * Find the owner of a process's ticks.  The lock keeps the process from executing another program
 * before it has a watch, which the exec probe changes.  Other holders of the lock may wait for user
 * memory, so this only tries to take it.
 */
static struct profil_owned profil_unmet_process(const struct profil_question *question)
{
	struct profil_owned owned = PROFIL_NOBODY;
	struct task_struct *task = question->task;
	struct rw_semaphore *exec = &task->signal->exec_update_lock;
	bool stays;

	if (!down_read_trylock(exec))
		return owned;
	/* Check that the task still has the address space in which its ticks came. */
	task_lock(task);
	stays = question->mm && task->mm == question->mm;
	task_unlock(task);
	if (stays)
		owned = profil_meet_task(question->profile, task, question->mm, question->payer);
	up_read(exec);
	return owned;
}

static void profil_unmet_answer(struct profil_question *question)
{
	struct profil_profile *profile = question->profile;
	struct task_struct *task = question->task;
	struct mem_cgroup *before = set_active_memcg(profile->recording->memcg);

	if (!question->owned.owner)
		question->owned = task->flags & PF_KTHREAD ?
			profil_meet_task(profile, task, NULL, question->payer) :
			profil_unmet_process(question);
	/* Pairs with profil_ask_add(): each tick that is counted here has written its place. */
	profil_unmet_count(question, atomic_xchg(&question->ticks, PROFIL_QUESTION_TAKEN));
	set_active_memcg(before);
	if (question->mm)
		mmdrop(question->mm);
	WRITE_ONCE(question->kernel, false);
	smp_store_release(&question->task, NULL);	/* ticks may use it again */
	put_task_struct(task);
	profil_profile_put(profile);
}

static void profil_unmet_work(struct work_struct *unused)
{
	struct profil_question *question;
	unsigned int cpu, i;

	for_each_possible_cpu(cpu) {
		question = per_cpu_ptr(profil_questions, cpu);
		for (i = 0; i < PROFIL_QUESTIONS; i++, question++)
			/* Pairs with profil_ask(): the tick has filled in the question. */
			if (smp_load_acquire(&question->kernel))
				profil_unmet_answer(question);
		cond_resched();
	}
}

static DECLARE_WORK(work, profil_unmet_work);

static void profil_unmet_asked(struct irq_work *unused)
{
	queue_work(profil_wq, &work);
}

/**
 * profil_unmet_init() - allocate the places of questions, and set the functions that answer them
 *
 * Context: Process context, before the first tick.
 * Return: 0 or -ENOMEM.
 */
int profil_unmet_init(void)
{
	struct profil_question *question;
	unsigned int cpu, i;

	profil_questions = __alloc_percpu(PROFIL_QUESTIONS * sizeof(*question),
					  __alignof__(*question));
	if (!profil_questions)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		question = per_cpu_ptr(profil_questions, cpu);
		for (i = 0; i < PROFIL_QUESTIONS; i++)
			init_task_work(&question[i].work, profil_resolve_work);
	}
	init_irq_work(&profil_ask_irq, profil_unmet_asked);
	return 0;
}

/**
 * profil_unmet_exit() - undo profil_unmet_init()
 *
 * Context: Process context, may sleep; after the last tick, before the queue is destroyed.
 */
void profil_unmet_exit(void)
{
	irq_work_sync(&profil_ask_irq);
	flush_work(&work);
	free_percpu(profil_questions);
}
