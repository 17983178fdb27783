// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session: an open file, which owns recordings.
 *
 * Context: process
 */
#include "device/device.h"

#include "life/life.h"

#include <linux/slab.h>

static atomic64_t last_id;

static void profil_session_wake(struct irq_work *work)
{
	wake_up_interruptible(&container_of(work, struct profil_session, news.wake)->wait);
}

/**
 * profil_session_create() - create the session of a file that is opened
 *
 * Context: Process context, may sleep.
 * Return: the session, or NULL if there is no memory.
 */
struct profil_session *profil_session_create(void)
{
	struct profil_session *session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);

	if (!session)
		return NULL;
	session->ns = get_pid_ns(task_active_pid_ns(current));
	init_waitqueue_head(&session->wait);
	profil_news_init(&session->news, profil_session_wake);
	session->id = atomic64_inc_return(&last_id);
	xa_init_flags(&session->profiles, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	return session;
}

/* End a recording, and stop following its processes.  Return: as profil_profile_retire(). */
static u64 profil_session_retire(struct profil_profile *profile)
{
	u64 stored = profil_profile_retire(profile, PROFIL_STATE_STOPPED);

	profil_watches_remove(profile->recording);
	return stored;
}

/* Drop a session's reference to a recording that it has retired. */
static void profil_session_drop(struct profil_profile *profile)
{
	profil_recording_clear(profile->recording);
	profil_profile_put(profile);
}

/**
 * profil_session_end() - end the session when its file is released
 * @session: no longer used by anything else
 *
 * Context: Process context, may sleep; possibly a kernel worker without an mm.
 */
void profil_session_end(struct profil_session *session)
{
	struct profil_profile *profile;
	unsigned long id;

	xa_for_each(&session->profiles, id, profile) {
		profil_session_retire(profile);
		profil_session_drop(profile);
	}
	xa_destroy(&session->profiles);
	irq_work_sync(&session->news.wake);
	put_pid_ns(session->ns);
	kfree(session);
}

/**
 * profil_session_find() - find a recording of a session
 * @session: the session
 * @id: number of the recording
 *
 * Context: Process context.
 * Return: the recording's profile, referenced, or NULL.
 */
struct profil_profile *profil_session_find(struct profil_session *session, u32 id)
{
	struct profil_profile *profile;

	xa_lock(&session->profiles);
	profile = xa_load(&session->profiles, id);
	if (profile && !profil_profile_get(profile))
		profile = NULL;
	xa_unlock(&session->profiles);
	return profile;
}

/**
 * profil_session_stop() - PROFIL_STOP of a recording
 * @session: the file's session
 * @stop: copied from user space; its output is filled in
 *
 * Context: Process context, may sleep.
 * Return: 0; or, with nothing changed, -ENOENT, or -EDQUOT if PROFIL_STOP_KEEP is set and the
 * user's account has no room for the recording's numbers.
 */
int profil_session_stop(struct profil_session *session, struct profil_stop *stop)
{
	struct profil_profile *profile = profil_session_find(session, stop->profile);
	bool keep = stop->flags & PROFIL_STOP_KEEP;
	int err = 0;

	if (!profile)
		return -ENOENT;
	if (keep)
		err = profil_recording_keep(profile->recording);
	if (err)
		goto put;
	stop->stored = profil_session_retire(profile);
	/* If two threads stop it at once, only one drops the session's reference. */
	if (!keep && xa_cmpxchg(&session->profiles, stop->profile, profile, NULL, 0) == profile)
		profil_session_drop(profile);
put:
	profil_profile_put(profile);
	return err;
}

/**
 * profil_session_status() - PROFIL_STATUS of a recording
 * @session: the file's session
 * @status: copied from user space; its output is filled in
 *
 * Context: Process context, may sleep.
 * Return: 0, -ENOENT, -EINTR.
 */
int profil_session_status(struct profil_session *session, struct profil_status *status)
{
	struct profil_profile *profile = profil_session_find(session, status->profile);
	int err;

	if (!profile)
		return -ENOENT;
	err = profil_profile_status(profile, status);
	profil_profile_put(profile);
	return err;
}

/**
 * profil_session_poll() - poll(2): has the wake-up of the session's reader fired?
 * @session: the file's session
 * @file: the file
 * @table: the poller's table
 *
 * Context: Process context.
 * Return: EPOLLPRI or 0.
 */
__poll_t profil_session_poll(struct profil_session *session, struct file *file,
			     struct poll_table_struct *table)
{
	poll_wait(file, &session->wait, table);
	return profil_news_told(&session->news) ? EPOLLPRI : 0;
}
