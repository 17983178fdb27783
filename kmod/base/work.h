/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's own workqueues.
 *
 * Context: any
 */
#ifndef PROFIL_WORK_H
#define PROFIL_WORK_H

#include <linux/workqueue.h>

/*
 * All deferred work runs here, except work that allocates at a user's expense.  Only work
 * on this queue drops the last reference to the module; unloading drains the queue.
 */
extern struct workqueue_struct *profil_wq;
/* Work that allocates at a user's expense, and may take long at that user's limits. */
extern struct workqueue_struct *profil_user_wq;

int profil_work_init(void);
void profil_work_exit(void);

#endif /* PROFIL_WORK_H */
