/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ticks in kernel mode of tasks new to a system-wide recording: a work item finds their owners.
 *
 * Context: process
 */
#ifndef PROFIL_UNMET_H
#define PROFIL_UNMET_H

void profil_unmet_init(void);
void profil_unmet_exit(void);

#endif /* PROFIL_UNMET_H */
