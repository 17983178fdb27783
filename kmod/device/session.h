/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session: an open file, the owner of attached profiles.
 *
 * Context: process
 */
#ifndef PROFIL_SESSION_H
#define PROFIL_SESSION_H

#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/wait.h>
#include <linux/xarray.h>

struct profil_start;
struct profil_status;
struct profil_stop;
struct profil_update;

/**
 * struct profil_session - the state of an open file
 * @id: unique since the module was loaded: several processes may have the file open
 * @profiles: by number, each referenced; locks itself
 * @pending: watches with something to report; guarded by profil_bindings_lock
 * @user: the account that is charged for watches: of the user who opened the file
 * @reader: serialises read(2), and keeps it out while watches are removed
 * @wait: readers and pollers
 * @wake: wakes them for the probes, which must not take a sleeping lock
 */
struct profil_session {
	u64 id;
	struct xarray profiles;
	struct list_head pending;
	struct profil_user *user;
	struct mutex reader;	/* see the kernel-doc above */
	wait_queue_head_t wait;
	struct irq_work wake;
};

struct profil_session *profil_session_create(void);
void profil_session_end(struct profil_session *session);
int profil_session_attach(struct profil_session *session, struct profil_start *start);
int profil_session_update(struct profil_session *session, const struct profil_update *update);
int profil_session_stop(struct profil_session *session, struct profil_stop *stop);
int profil_session_status(struct profil_session *session, struct profil_status *status);
ssize_t profil_session_read(struct profil_session *session, char __user *to, size_t bytes,
			    bool wait);
__poll_t profil_session_poll(struct profil_session *session, struct file *file,
			     struct poll_table_struct *table);

#endif /* PROFIL_SESSION_H */
