// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session: an open file, the owner of attached profiles.
 *
 * Context: process
 */
#include "device/session.h"

#include "follow/follower.h"
#include "follow/report.h"
#include "follow/watch.h"
#include "profile/check.h"
#include "profile/life.h"
#include "profile/limits.h"
#include "profile/profile.h"
#include "profile/update.h"
#include "record/everybody.h"
#include "record/kept.h"
#include "record/recording.h"
#include "tick/checkpoint.h"

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/profil_record.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#define READ_BATCH	16

static atomic64_t last_id;

/**
 * profil_session_create() - create the session of a file that is opened
 *
 * Context: Process context, may sleep.
 * Return: the session, or NULL without memory.
 */
struct profil_session *profil_session_create(void)
{
	struct profil_session *session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);

	if (!session)
		return NULL;
	if (profil_follower_init(&session->follower)) {
		kfree(session);
		return NULL;
	}
	session->id = atomic64_inc_return(&last_id);
	xa_init_flags(&session->profiles, XA_FLAGS_ALLOC1);
	return session;
}

/* End a profile, and stop following processes for it.  Return: as profil_profile_retire(). */
static u64 profil_session_retire(struct profil_session *session, struct profil_profile *profile)
{
	u64 stored = profil_profile_retire(profile);

	/* Tasks and probes that have found it in profil_everybody may still use the follower. */
	if (profile->everybody)
		synchronize_rcu();
	mutex_lock(&session->follower.reader);
	profil_watches_remove(&session->follower, profile);
	profil_reports_remove(&session->follower, profile->id);
	mutex_unlock(&session->follower.reader);
	return stored;
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
		profil_session_retire(session, profile);
		profil_profile_put(profile);
	}
	xa_destroy(&session->profiles);
	profil_follower_exit(&session->follower);
	kfree(session);
}

/**
 * profil_session_find() - a profile of a session
 * @session: of the file
 * @id: number of the profile
 *
 * Context: Process context.
 * Return: the profile, referenced, or NULL.
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
 * profil_session_update() - PROFIL_UPDATE
 * @session: of the file
 * @update: copied from user space
 *
 * Context: Process context, may sleep.
 * Return: 0; or, with nothing changed, an error that the head of <linux/profil.h>
 * lists.
 */
int profil_session_update(struct profil_session *session, const struct profil_update *update)
{
	struct profil_profile *profile = profil_session_find(session, update->profile);
	int err;

	if (!profile)
		return -ENOENT;
	/* A recording has no regions. */
	err = profile->recording ? -EINVAL : profil_profile_update(profile, update);
	profil_profile_put(profile);
	return err;
}

/**
 * profil_session_stop() - PROFIL_STOP of an attached profile
 * @session: of the file
 * @stop: copied from user space; its output is filled in
 *
 * Context: Process context, may sleep.
 * Return: 0; or, with nothing changed, -ENOENT; with PROFIL_STOP_KEEP, also -EINVAL if it is not
 * a recording, and -EDQUOT if its user's account has no room for its numbers.
 */
int profil_session_stop(struct profil_session *session, struct profil_stop *stop)
{
	struct profil_profile *profile = profil_session_find(session, stop->profile);
	bool keep = stop->flags & PROFIL_STOP_KEEP;
	int err = 0;

	if (!profile)
		return -ENOENT;
	if (keep)
		err = profile->recording ? profil_recording_keep(profile->recording) : -EINVAL;
	if (err)
		goto put;
	stop->stored = profil_session_retire(session, profile);
	if (keep) {
		mutex_lock(&profile->lock);
		profil_profile_stop(profile, PROFIL_STATE_STOPPED);
		mutex_unlock(&profile->lock);
	}
	/* If two threads stop it at once, only one drops the table's reference. */
	if (!keep && xa_cmpxchg(&session->profiles, stop->profile, profile, NULL, 0) == profile)
		profil_profile_put(profile);
put:
	profil_profile_put(profile);
	return err;
}

/**
 * profil_session_status() - PROFIL_STATUS of an attached profile
 * @session: of the file
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

/* A waiter checks this after joining the wait queue, under the lock: see profil_watch_note(). */
static bool profil_session_pending(struct profil_session *session)
{
	struct profil_follower *follower = &session->follower;
	unsigned long flags;
	bool pending;

	raw_spin_lock_irqsave(&follower->lock, flags);
	pending = !list_empty(&follower->pending);
	raw_spin_unlock_irqrestore(&follower->lock, flags);
	return pending;
}

/* Check that @to is writable before taking events: taken events are not reported again. */
static ssize_t profil_session_read_batch(struct profil_session *session, char __user *to,
					 size_t room)
{
	struct profil_event events[READ_BATCH];
	size_t max = min_t(size_t, room / sizeof(*events), READ_BATCH);
	size_t bytes;

	if (clear_user(to, max * sizeof(*events)))
		return -EFAULT;
	if (mutex_lock_killable(&session->follower.reader))
		return -EINTR;
	bytes = profil_reports_take(&session->follower, events, max) * sizeof(*events);
	mutex_unlock(&session->follower.reader);
	return copy_to_user(to, events, bytes) ? -EFAULT : bytes;
}

static ssize_t profil_session_read_events(struct profil_session *session, char __user *to,
					  size_t bytes)
{
	size_t done = 0;
	ssize_t n;

	do {
		n = profil_session_read_batch(session, to + done, bytes - done);
		if (n > 0)
			done += n;
	} while (n > 0 && bytes - done >= sizeof(struct profil_event));
	return done ? done : n;
}

/**
 * profil_session_read() - read(2): events of followed processes
 * @session: of the file
 * @to: receives whole &struct profil_event
 * @bytes: size of @to
 * @wait: wait for the first event
 *
 * Context: Process context, may sleep.
 * Return: bytes read; -EINVAL, -EAGAIN, -EFAULT, -ERESTARTSYS, -EINTR.
 */
ssize_t profil_session_read(struct profil_session *session, char __user *to, size_t bytes,
			    bool wait)
{
	ssize_t n;

	if (bytes < sizeof(struct profil_event))
		return -EINVAL;
	for (;;) {
		n = profil_session_read_events(session, to, bytes);
		if (n)
			return n;
		if (!wait)
			return -EAGAIN;
		if (wait_event_interruptible(session->follower.wait,
					     profil_session_pending(session)))
			return -ERESTARTSYS;
	}
}

/**
 * profil_session_poll() - poll(2): is there an event to read, or news?
 * @session: of the file
 * @file: the file
 * @table: of the poller
 *
 * Context: Process context.
 * Return: EPOLLIN | EPOLLRDNORM, EPOLLPRI, both or 0.
 */
__poll_t profil_session_poll(struct profil_session *session, struct file *file,
			     struct poll_table_struct *table)
{
	__poll_t ready = 0;

	poll_wait(file, &session->follower.wait, table);
	if (profil_session_pending(session))
		ready |= EPOLLIN | EPOLLRDNORM;
	if (profil_news_told(&session->follower.news))
		ready |= EPOLLPRI;
	return ready;
}
