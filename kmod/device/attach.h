/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attaching: how a profile of a session, or a recording, gets a process.
 *
 * Context: process
 */
#ifndef PROFIL_ATTACH_H
#define PROFIL_ATTACH_H

#include <linux/types.h>

struct profil_record;
struct profil_session;
struct profil_start;

int profil_session_attach(struct profil_session *session, struct profil_start *start,
			  int (*tell)(struct profil_start *start));
int profil_session_record(struct profil_session *session, struct profil_record *record);

#endif /* PROFIL_ATTACH_H */
