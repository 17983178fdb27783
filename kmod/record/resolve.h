/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is mapped at the PC of a tick.
 *
 * Context: process
 */
#ifndef PROFIL_RESOLVE_H
#define PROFIL_RESOLVE_H

#include <linux/types.h>

struct profil_question;

bool profil_resolve_call(struct profil_question *question);
void profil_resolve_init(void);

#endif /* PROFIL_RESOLVE_H */
