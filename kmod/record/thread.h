/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a kernel thread gets into a recording of everybody.
 *
 * Context: process
 */
#ifndef PROFIL_THREAD_H
#define PROFIL_THREAD_H

void profil_threads_init(void);
void profil_threads_exit(void);

#endif /* PROFIL_THREAD_H */
