/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Leaving the table of watches, some time after the exit.
 *
 * Context: process
 */
#ifndef PROFIL_LEAVE_H
#define PROFIL_LEAVE_H

struct profil_follower;

void profil_watches_leave(struct profil_follower *follower);

#endif /* PROFIL_LEAVE_H */
