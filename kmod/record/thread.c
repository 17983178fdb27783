// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a kernel thread gets into a recording of everybody: it is added when it is first sampled.
 *
 * Context: process
 */
#include "record/thread.h"

#include "follow/meet.h"
#include "profile/profile.h"
#include "profile/stats.h"
#include "profile/work.h"
#include "record/recording.h"
#include "tick/ask.h"
#include "tick/record.h"
#include "tick/section.h"

#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/workqueue.h>

#include <asm/barrier.h>

static void profil_thread_count(const struct profil_asked *asked, struct profil_owned owned)
{
	struct profil_tally *tally;
	enum profil_cause cause;
	unsigned long flags;

	local_irq_save(flags);
	profil_section_enter();
	tally = this_cpu_ptr(asked->profile->tally);
	cause = profil_record_add_kernel(asked->profile, owned, asked->place);
	profil_record_add_thread(asked->profile, owned, cause, asked->task);
	tally->cause[cause]++;
	tally->granted++;
	profil_section_leave();
	local_irq_restore(flags);
}

static void profil_thread_answer(struct profil_asked *asked)
{
	struct profil_profile *profile = asked->profile;
	struct task_struct *task = asked->task;
	struct mem_cgroup *before = set_active_memcg(profile->recording->memcg);

	profil_thread_count(asked, profil_meet_task(profile, task, NULL));
	set_active_memcg(before);
	smp_store_release(&asked->task, NULL);	/* only now may a tick use it */
	put_task_struct(task);
	profil_profile_put(profile);
}

static void profil_threads_work(struct work_struct *unused)
{
	struct profil_asked *asked;
	unsigned int cpu, i;

	for_each_possible_cpu(cpu) {
		asked = *per_cpu_ptr(&profil_asked, cpu);
		for (i = 0; i < PROFIL_ASKED; i++, asked++)
			if (smp_load_acquire(&asked->task))	/* the tick has filled it in */
				profil_thread_answer(asked);
	}
}

static DECLARE_WORK(work, profil_threads_work);

static void profil_threads_asked(struct irq_work *unused)
{
	queue_work(profil_wq, &work);
}

/**
 * profil_threads_init() - tell ticks who answers for kernel threads
 *
 * Context: Process context, before the first tick.
 */
void profil_threads_init(void)
{
	init_irq_work(&profil_ask_irq, profil_threads_asked);
}

/**
 * profil_threads_exit() - undo profil_threads_init()
 *
 * Context: Process context, may sleep; after the last tick, before the queue is destroyed.
 */
void profil_threads_exit(void)
{
	irq_work_sync(&profil_ask_irq);
}
