/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which modules had code at which kernel addresses, for recordings that count there.
 *
 * Context: process
 */
#ifndef PROFIL_MODULES_H
#define PROFIL_MODULES_H

struct profil_recording;

void profil_modules_begin(struct profil_recording *recording);
int profil_modules_init(void);
void profil_modules_exit(void);

#endif /* PROFIL_MODULES_H */
