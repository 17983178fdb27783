// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ticks in kernel mode that have to wait: of tasks new to a system-wide recording, whose owners
 * a work item finds, and of tasks that called the kernel from a text that it finds.
 *
 * The task itself may stay in a system call for as long as it likes, and a kernel thread never
 * leaves the kernel.
 *
 * Context: process
 */
#include "record/record.h"

#include "tick/record.h"

#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

static void profil_unmet_count(const struct profil_asked *asked, struct profil_owned owned,
			       u64 place)
{
	struct profil_tally *tally;
	enum profil_cause cause;
	unsigned long flags;

	local_irq_save(flags);
	profil_section_enter();
	tally = this_cpu_ptr(asked->profile->tally);
	cause = profil_record_add_kernel(asked->profile, owned, asked->task, place);
	tally->cause[cause]++;
	tally->granted++;
	profil_section_leave();
	local_irq_restore(flags);
}

/* Count ticks where the task called the kernel; in the kernel, if the memory is gone. */
static void profil_unmet_count_calls(const struct profil_asked *asked, struct profil_owned owned,
				     int ticks)
{
	struct profil_question question = {
		.task = asked->task,
		.profile = asked->profile,
		.mm = asked->mm,
		.payer = asked->payer,
		.owned = owned,
	};
	int i;

	for (i = 0; i < ticks; i++) {
		question.pc = asked->place[i];
		if (!question.mm || !question.pc || !profil_resolve_call(&question))
			profil_unmet_count(asked, owned, 0);
	}
}

static void profil_unmet_count_all(const struct profil_asked *asked, struct profil_owned owned,
				   int ticks)
{
	int i;

	if (asked->profile->recording->calls) {
		profil_unmet_count_calls(asked, owned, ticks);
		return;
	}
	for (i = 0; i < ticks; i++)
		profil_unmet_count(asked, owned, asked->place[i]);
}

/* Does the task still have the address space that its ticks came in? */
static bool profil_unmet_stays(const struct profil_asked *asked)
{
	bool stays;

	task_lock(asked->task);
	stays = asked->mm && asked->task->mm == asked->mm;
	task_unlock(asked->task);
	return stays;
}

/*
 * The lock keeps the process from executing another program before it has a watch, which the
 * probe on exec changes.  Other holders may wait for user memory, so the work only tries it.
 */
static struct profil_owned profil_unmet_process(const struct profil_asked *asked)
{
	struct profil_owned owned = asked->profile->recording->nobody;
	struct rw_semaphore *exec = &asked->task->signal->exec_update_lock;

	if (!down_read_trylock(exec))
		return owned;
	if (profil_unmet_stays(asked))
		owned = profil_meet_task(asked->profile, asked->task, asked->mm,
					 asked->payer);
	up_read(exec);
	return owned;
}

static void profil_unmet_answer(struct profil_asked *asked)
{
	struct profil_profile *profile = asked->profile;
	struct task_struct *task = asked->task;
	struct mem_cgroup *before = set_active_memcg(profile->recording->memcg);
	struct profil_owned owned = asked->owned;

	if (!owned.owner)
		owned = task->flags & PF_KTHREAD ?
			profil_meet_task(profile, task, NULL, asked->payer) :
			profil_unmet_process(asked);
	/* Pairs with profil_ask_add(): each tick that is counted here has written its place. */
	profil_unmet_count_all(asked, owned, atomic_xchg(&asked->ticks, PROFIL_ASKED_TAKEN));
	set_active_memcg(before);
	if (asked->mm)
		mmdrop(asked->mm);
	smp_store_release(&asked->task, NULL);	/* from here on, a tick may reuse @asked */
	put_task_struct(task);
	profil_profile_put(profile);
}

static void profil_unmet_work(struct work_struct *unused)
{
	struct profil_asked *asked;
	unsigned int cpu, i;

	for_each_possible_cpu(cpu) {
		asked = *per_cpu_ptr(&profil_asked, cpu);
		for (i = 0; i < PROFIL_ASKED; i++, asked++)
			if (smp_load_acquire(&asked->task))	/* the tick has filled it in */
				profil_unmet_answer(asked);
		cond_resched();
	}
}

static DECLARE_WORK(work, profil_unmet_work);

static void profil_unmet_asked(struct irq_work *unused)
{
	queue_work(profil_wq, &work);
}

/**
 * profil_unmet_init() - set what ticks queue to have their owners found
 *
 * Context: Process context, before the first tick.
 */
void profil_unmet_init(void)
{
	init_irq_work(&profil_ask_irq, profil_unmet_asked);
}

/**
 * profil_unmet_exit() - undo profil_unmet_init()
 *
 * Context: Process context, may sleep; after the last tick, before the queue is destroyed.
 */
void profil_unmet_exit(void)
{
	irq_work_sync(&profil_ask_irq);
}
