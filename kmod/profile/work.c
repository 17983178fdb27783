// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's own workqueue.
 *
 * Context: process
 */
#include "profile/work.h"

#include <linux/errno.h>

struct workqueue_struct *profil_wq;

/**
 * profil_work_init() - make the workqueue
 *
 * Context: Process context.
 * Return: 0 or -ENOMEM.
 */
int profil_work_init(void)
{
	profil_wq = alloc_workqueue("profil", WQ_UNBOUND, 0);
	return profil_wq ? 0 : -ENOMEM;
}

/**
 * profil_work_exit() - undo profil_work_init()
 *
 * Context: Process context; waits for the works that are left.
 */
void profil_work_exit(void)
{
	destroy_workqueue(profil_wq);
}
