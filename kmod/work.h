/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's own workqueue.
 *
 * Context: any
 */
#ifndef PROFIL_WORK_H
#define PROFIL_WORK_H

#include <linux/workqueue.h>

/*
 * Everything that is done later is done here.  It is also the only place from
 * which the last reference to the module is dropped: unloading drains it.
 */
extern struct workqueue_struct *profil_wq;

int profil_work_init(void);
void profil_work_exit(void);

#endif /* PROFIL_WORK_H */
