/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /proc/PID/fdinfo/N of an open /dev/profil: its profiles.
 *
 * Context: process
 */
#ifndef PROFIL_FDINFO_H
#define PROFIL_FDINFO_H

struct profil_session;
struct seq_file;

void profil_fdinfo_show(struct seq_file *to, struct profil_session *session);

#endif /* PROFIL_FDINFO_H */
