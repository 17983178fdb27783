/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PROFIL_RECORD: how a recording begins, and how it gets a process, another table, a wake-up.
 *
 * Context: process
 */
#ifndef PROFIL_ATTACH_H
#define PROFIL_ATTACH_H

#include <linux/types.h>

struct profil_add;
struct profil_record;
struct profil_session;
struct profil_table;
struct profil_wait;

int profil_session_record(struct profil_session *session, struct profil_record *record);
int profil_session_add(struct profil_session *session, const struct profil_add *add);
int profil_session_table(struct profil_session *session, const struct profil_table *table);
int profil_session_wait(struct profil_session *session, const struct profil_wait *wait);

#endif /* PROFIL_ATTACH_H */
