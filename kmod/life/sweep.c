// SPDX-License-Identifier: GPL-2.0-only
/*
 * Removing bindings to address spaces and threads that have ended.
 *
 * Context: process
 */
#include "life/life.h"

#include "profile/binding.h"

#include <linux/bitops.h>
#include <linux/list.h>
#include <linux/mm_types.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

/* Once true, this stays true. */
static bool profil_binding_is_dead(const struct profil_binding *binding)
{
	/* Once 0, it never rises again: no task will run there. */
	if (!atomic_read(&binding->mm->mm_users))
		return true;
	/* A thread ID that is reused gets another struct pid. */
	return binding->thread && !pid_has_task(binding->thread, PIDTYPE_PID);
}

static void profil_bindings_sweep_bucket(struct profil_bucket *bucket,
					 struct profil_binding **removed)
{
	struct profil_binding *binding;
	struct hlist_node *next;
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	hlist_for_each_entry_safe(binding, next, &bucket->chain, node)
		if (profil_binding_is_dead(binding))
			profil_binding_remove(binding, removed);
	if (hlist_empty(&bucket->chain))
		clear_bit(bucket - profil_bindings, profil_bindings_used);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
}

/**
 * profil_bindings_sweep() - remove bindings to address spaces and threads that have ended
 *
 * Context: Process context, may sleep.
 */
void profil_bindings_sweep(void)
{
	struct profil_binding *removed = NULL;
	unsigned int i;

	for_each_set_bit(i, profil_bindings_used, ARRAY_SIZE(profil_bindings)) {
		profil_bindings_sweep_bucket(&profil_bindings[i], &removed);
		cond_resched();
	}
	profil_binding_drop(removed);
}
