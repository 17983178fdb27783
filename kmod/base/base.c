// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's workqueues, the wait for all sections, and tracepoints by name.
 *
 * Context: process
 */
#include "base/base.h"

#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

DEFINE_PER_CPU(unsigned long, profil_section);

struct workqueue_struct *profil_wq, *profil_user_wq;

/**
 * profil_work_init() - make the workqueues
 *
 * Context: Process context.
 * Return: 0 or -ENOMEM.
 */
int profil_work_init(void)
{
	profil_wq = alloc_workqueue("profil", WQ_UNBOUND, 0);
	profil_user_wq = alloc_workqueue("profil_user", WQ_UNBOUND, 0);
	if (profil_wq && profil_user_wq)
		return 0;
	profil_work_exit();
	return -ENOMEM;
}

/**
 * profil_work_exit() - undo profil_work_init()
 *
 * Context: Process context; waits for the works that are left.
 */
void profil_work_exit(void)
{
	if (profil_user_wq)
		destroy_workqueue(profil_user_wq);
	if (profil_wq)
		destroy_workqueue(profil_wq);
}

/**
 * profil_sections_settle() - wait for the sections that run now
 *
 * Ticks are counted in sections, and so are deferred ticks.  A section that begins later no longer
 * finds what the caller has unpublished.  Pairs with profil_section_enter(), and with the
 * rcu_dereference_sched() of region.c, record.c and defer.c.
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

struct search {
	const char *name;
	struct tracepoint *found;
};

static void profil_tracepoint_compare(struct tracepoint *point, void *data)
{
	struct search *search = data;

	if (!strcmp(point->name, search->name))
		search->found = point;
}

/**
 * profil_tracepoint_find() - look up a tracepoint
 * @name: its name
 *
 * Context: Process context, may sleep.
 * Return: the tracepoint, or NULL if the kernel does not have it.
 */
struct tracepoint *profil_tracepoint_find(const char *name)
{
	struct search search = { .name = name };

	for_each_kernel_tracepoint(profil_tracepoint_compare, &search);
	return search.found;
}
