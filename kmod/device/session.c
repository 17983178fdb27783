// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session: an open file, the owner of attached profiles.
 *
 * Context: process
 */
#include "device/session.h"

#include "clock/cpus.h"
#include "device/proof.h"
#include "follow/follower.h"
#include "follow/report.h"
#include "follow/watch.h"
#include "profile/binding.h"
#include "profile/check.h"
#include "profile/layout.h"
#include "profile/life.h"
#include "profile/limits.h"
#include "profile/profile.h"

#include <linux/atomic.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/profil.h>
#include <linux/sched/mm.h>
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

/* Called before a profile ends, so that no exec adds a gap binding to it. */
static void profil_session_unwatch(struct profil_session *session, struct profil_profile *profile)
{
	mutex_lock(&session->follower.reader);
	profil_watches_remove(&session->follower, profile);
	profil_reports_remove(&session->follower, profile->id);
	mutex_unlock(&session->follower.reader);
}

/**
 * profil_session_end() - end the session when its file is released
 * @session: not used by anything else any more
 *
 * Context: Process context, may sleep; possibly a kernel worker without an mm.
 */
void profil_session_end(struct profil_session *session)
{
	struct profil_profile *profile;
	unsigned long id;

	xa_for_each(&session->profiles, id, profile) {
		profil_session_unwatch(session, profile);
		profil_profile_retire(profile);
		profil_profile_put(profile);
	}
	xa_destroy(&session->profiles);
	profil_follower_exit(&session->follower);
	kfree(session);
}

static struct profil_profile *profil_session_find(struct profil_session *session, u32 id)
{
	struct profil_profile *profile;

	xa_lock(&session->profiles);
	profile = xa_load(&session->profiles, id);
	if (profile && !profil_profile_get(profile))
		profile = NULL;
	xa_unlock(&session->profiles);
	return profile;
}

/* No event reports a thread's end: processes are followed, threads are not. */
static int profil_session_publish_thread(struct profil_binding *binding, struct task_struct *target)
{
	struct pid *thread = get_task_pid(target, PIDTYPE_PID);

	/* It was reaped since the proof was checked. */
	if (!thread)
		return -ESRCH;
	profil_binding_narrow(binding, thread);
	return profil_binding_publish_attached(binding, true);
}

/**
 * struct target - what a profile is attached to
 * @follower: of the session that follows it
 * @proof: proof of the permission to attach, entered
 * @mm: the address space that it permits to profile
 * @binding: to be published, or freed
 * @watch: likewise; NULL for a thread
 */
struct target {
	struct profil_follower *follower;
	struct profil_proof *proof;
	struct mm_struct *mm;
	struct profil_binding *binding;
	struct profil_watch *watch;
};

/* Under the proof, so that the target cannot exec before it is followed. */
static int profil_session_publish(struct profil_profile *profile, void *data)
{
	const struct target *target = data;
	struct profil_proof *proof = target->proof;
	int err;

	profil_binding_init(target->binding, target->mm, profile, false);
	if (profile->flags & PROFIL_THREAD)
		err = profil_session_publish_thread(target->binding, proof->target);
	else
		err = profil_watch_publish(target->binding, target->watch, target->follower,
					   proof->target);
	if (!err) {
		profil_clock_look(target->mm);
		return 0;
	}
	profil_binding_drop(target->binding);
	kfree(target->watch);
	return err;
}

/*
 * Entering the proof waits for a target that execs, which may wait for memory: without
 * any lock of ours.
 */
static int profil_session_begin(struct profil_session *session, struct profil_profile *profile,
				struct profil_proof *proof)
{
	bool thread = profile->flags & PROFIL_THREAD;
	struct target target = { .follower = &session->follower, .proof = proof };
	int err = profil_profile_prepare(profile);

	if (err)
		return err;
	target.binding = profil_binding_alloc();
	target.watch = thread ? NULL : profil_watch_alloc();
	err = -ENOMEM;
	if (!target.binding || (!target.watch && !thread))
		goto free;
	target.mm = profil_proof_enter(proof);
	err = PTR_ERR_OR_ZERO(target.mm);
	if (err)
		goto free;
	err = profil_profile_begin(profile, 0, profil_session_publish, &target);
	profil_proof_leave(proof, target.mm);
	return err;
free:
	profil_binding_free(target.binding);
	kfree(target.watch);
	return err;
}

static int profil_session_try_attach(struct profil_session *session, struct profil_layout *layout,
				     struct profil_proof *proof, u32 *id)
{
	struct profil_profile *profile = profil_profile_create(layout, session, NULL);
	int err;

	if (IS_ERR(profile))
		return PTR_ERR(profile);
	err = xa_alloc(&session->profiles, id, NULL, xa_limit_32b, GFP_KERNEL_ACCOUNT);
	if (err)
		goto put;
	profile->id = *id;
	profile->follower = &session->follower;
	err = profil_session_begin(session, profile, proof);
	if (err)
		goto erase;
	/* Only now can commands find it.  Cannot fail: the entry is reserved. */
	xa_store(&session->profiles, *id, profile, GFP_KERNEL_ACCOUNT);
	return 0;
erase:
	xa_erase(&session->profiles, *id);
put:
	profil_profile_retire(profile);
	profil_profile_put(profile);
	return err;
}

/**
 * profil_session_attach() - PROFIL_ATTACH
 * @session: of the file
 * @start: copied from user space; its output is filled in
 *
 * Context: Process context, may sleep.
 * Return: 0; or, with nothing changed, an error that the head of <linux/profil.h>
 * lists.
 */
int profil_session_attach(struct profil_session *session, struct profil_start *start)
{
	bool kernel_ticks = start->flags & PROFIL_KERNEL_TICKS;
	struct profil_layout *layout;
	struct profil_proof proof;
	int err;

	/* A target has no way to pin the attacher's pages, and no gate. */
	if (start->flags & PROFIL_PIN_LATE || start->gate)
		return -EINVAL;
	err = profil_follower_prepare(&session->follower, start->flags & PROFIL_FOLLOW);
	if (err)
		return err;
	layout = profil_layout_create(start);
	if (IS_ERR(layout))
		return PTR_ERR(layout);
	err = profil_proof_open(&proof, start->proof, kernel_ticks);
	if (err)
		goto put_layout;
	start->stored = 0;
	err = profil_session_try_attach(session, layout, &proof, &start->profile);
	profil_proof_close(&proof);
put_layout:
	profil_layout_put(layout);
	return err;
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
	err = profil_profile_update(profile, update);
	profil_profile_put(profile);
	return err;
}

/**
 * profil_session_stop() - PROFIL_STOP of an attached profile
 * @session: of the file
 * @stop: copied from user space; its output is filled in
 *
 * Context: Process context, may sleep.
 * Return: 0 or -ENOENT.
 */
int profil_session_stop(struct profil_session *session, struct profil_stop *stop)
{
	struct profil_profile *profile = profil_session_find(session, stop->profile);

	if (!profile)
		return -ENOENT;
	profil_session_unwatch(session, profile);
	stop->stored = profil_profile_retire(profile);
	/* If two threads stop it at once, only one drops the table's reference. */
	if (xa_cmpxchg(&session->profiles, stop->profile, profile, NULL, 0) == profile)
		profil_profile_put(profile);
	profil_profile_put(profile);
	return 0;
}

/**
 * profil_session_status() - PROFIL_STATUS of an attached profile
 * @session: of the file
 * @status: copied from user space; its output is filled in
 *
 * Context: Process context, may sleep.
 * Return: 0, -ENOENT, -EINTR; -EAGAIN if current may not wait.
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

static bool profil_session_pending(struct profil_session *session)
{
	return !list_empty(&session->follower.pending);
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
 * profil_session_poll() - poll(2): is there an event to read?
 * @session: of the file
 * @file: the file
 * @table: of the poller
 *
 * Context: Process context.
 * Return: EPOLLIN | EPOLLRDNORM or 0.
 */
__poll_t profil_session_poll(struct profil_session *session, struct file *file,
			     struct poll_table_struct *table)
{
	poll_wait(file, &session->follower.wait, table);
	return profil_session_pending(session) ? EPOLLIN | EPOLLRDNORM : 0;
}
