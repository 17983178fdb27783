/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PROFIL_DESCRIBE: what a number of a recording stands for.
 *
 * Context: process
 */
#ifndef PROFIL_DESCRIBE_H
#define PROFIL_DESCRIBE_H

struct profil_describe;
struct profil_session;

int profil_session_describe(struct profil_session *session, struct profil_describe *describe);
void profil_describe_undo(const struct profil_describe *describe);

#endif /* PROFIL_DESCRIBE_H */
