/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Other CPUs: make them look at their current tasks, and wait until their sections end.
 *
 * Context: process
 */
#ifndef PROFIL_CPUS_H
#define PROFIL_CPUS_H

struct mm_struct;

void profil_clock_look_here(void);
void profil_clock_look_all(void);
void profil_clock_look(struct mm_struct *mm);
void profil_clock_look_exit(void);
void profil_clock_sync(void);

#endif /* PROFIL_CPUS_H */
