/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reports: what has happened to followed processes, and has not been read yet.
 *
 * Context: process
 */
#ifndef PROFIL_REPORT_H
#define PROFIL_REPORT_H

#include <linux/types.h>

struct profil_event;
struct profil_follower;

unsigned int profil_reports_take(struct profil_follower *follower, struct profil_event *events,
				 unsigned int max);
void profil_reports_keep(struct profil_follower *follower);
void profil_reports_remove(struct profil_follower *follower, u32 profile);

#endif /* PROFIL_REPORT_H */
