/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Following processes: the probes on fork, exec and exit.
 *
 * Context: tracepoint probe
 */
#ifndef PROFIL_FOLLOW_H
#define PROFIL_FOLLOW_H

/* follow.c */
int profil_follow_init(void);
void profil_follow_exit(void);

#endif /* PROFIL_FOLLOW_H */
