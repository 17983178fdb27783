/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_MAIN_H
#define PROFIL_MAIN_H

#include <linux/workqueue.h>

/*
 * Everything that is done later is done here.  It is also the only place from
 * which the last reference to the module is dropped: unloading drains it.
 */
extern struct workqueue_struct *profil_wq;

#endif /* PROFIL_MAIN_H */
