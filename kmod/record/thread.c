// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a kernel thread gets into a recording of everybody: it is met when it has ticked.
 *
 * Context: process
 */
#include "record/thread.h"

#include "follow/meet.h"
#include "profile/profile.h"
#include "profile/stats.h"
#include "record/recording.h"
#include "tick/ask.h"
#include "tick/record.h"
#include "tick/section.h"

#include <linux/cpumask.h>
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
	unsigned long flags;

	local_irq_save(flags);
	profil_section_enter();
	tally = this_cpu_ptr(asked->profile->tally);
	tally->cause[profil_record_add_kernel(asked->profile, owned, asked->place)]++;
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

/**
 * profil_threads_init() - tell ticks who answers for kernel threads
 *
 * Context: Process context, before the first tick.
 */
void profil_threads_init(void)
{
	INIT_WORK(&profil_ask_work, profil_threads_work);
}
