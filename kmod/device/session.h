/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session: an open file, the owner of recordings.
 *
 * Context: process
 */
#ifndef PROFIL_SESSION_H
#define PROFIL_SESSION_H

#include "record/watch.h"

#include <linux/poll.h>
#include <linux/xarray.h>

struct profil_profile;
struct profil_status;
struct profil_stop;

/**
 * struct profil_session - the state of an open file
 * @id: unique since the module was loaded: several processes may have the file open
 * @profiles: of its recordings, by number, each referenced; locks itself
 * @follower: follows the processes of its recordings
 */
struct profil_session {
	u64 id;
	struct xarray profiles;
	struct profil_follower follower;
};

struct profil_session *profil_session_create(void);
void profil_session_end(struct profil_session *session);
struct profil_profile *profil_session_find(struct profil_session *session, u32 id);
int profil_session_stop(struct profil_session *session, struct profil_stop *stop);
int profil_session_status(struct profil_session *session, struct profil_status *status);
__poll_t profil_session_poll(struct profil_session *session, struct file *file,
			     struct poll_table_struct *table);

#endif /* PROFIL_SESSION_H */
