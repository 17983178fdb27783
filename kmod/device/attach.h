/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PROFIL_RECORD: how a recording begins, and how it gets a process, another table, a wake-up.
 *
 * Context: process
 */
#ifndef PROFIL_ATTACH_H
#define PROFIL_ATTACH_H

#include <linux/types.h>

struct profil_record;
struct profil_session;

int profil_session_record(struct profil_session *session, struct profil_record *record);

#endif /* PROFIL_ATTACH_H */
