// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's own workqueues.
 *
 * Context: process
 */
#include "base/work.h"

#include <linux/errno.h>

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
