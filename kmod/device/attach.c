// SPDX-License-Identifier: GPL-2.0-only
/*
 * PROFIL_RECORD, PROFIL_ADD, PROFIL_TABLE, PROFIL_WAIT: begin a recording, add a process to it,
 * change its table, arm its wake-up.
 *
 * Context: process
 */
#include "device/device.h"

#include "life/life.h"
#include "memory/layout.h"
#include "memory/pins.h"
#include "source/source.h"

#include "compat.h"

#include <linux/err.h>
#include <linux/limits.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>

/**
 * struct target - a process, or thread, that is added to a recording
 * @proof: proof of the permission to record the target, entered
 * @pid: the target's thread group, or the thread; referenced, because it may be reaped
 * @mm: the address space that @proof gives access to
 * @program: what the target executed; referenced, or NULL
 * @binding: the binding to publish; NULL once it is taken over
 * @watch: the watch to publish; NULL for a thread, and once it is taken over
 * @owned: the owner of the target's ticks
 */
struct target {
	struct profil_proof *proof;
	struct pid *pid;
	struct mm_struct *mm;
	struct file *program;
	struct profil_binding *binding;
	struct profil_watch *watch;
	struct profil_owned owned;
};

/* Enter the proof and find the owner.  May sleep, so the profile's lock is not held yet. */
static int profil_attach_enter(struct target *target, const struct profil_profile *profile)
{
	struct profil_proof *proof = target->proof;
	struct profil_pool pool = {};
	int err = profil_pool_fill(&pool, 2, sizeof(struct profil_entry), GFP_KERNEL_ACCOUNT);

	/* From here on the target cannot exec, so nothing here may wait for memory. */
	target->mm = err ? ERR_PTR(err) : profil_proof_enter(proof);
	if (!IS_ERR(target->mm)) {
		target->program = profil_exe_file(target->mm);
		target->owned = profil_owner_task(profile->recording, proof->target,
						  target->program, 0, &pool, 0);
	}
	profil_pool_empty(&pool);
	return PTR_ERR_OR_ZERO(target->mm);
}

/*
 * Threads are not followed, so nothing would notice if a thread executed a program which the
 * reader may not see.  Therefore the thread's owner ends here.
 */
static int profil_attach_publish_thread(struct profil_binding *binding,
					const struct target *target)
{
	profil_binding_narrow(binding, target->pid);
	profil_owner_end(binding->profile->recording, target->owned, target->pid, false);
	return profil_binding_publish(binding);
}

/* Runs with the proof entered, so that the target cannot exec before it is followed. */
static int profil_attach_publish(struct profil_profile *profile, void *data)
{
	struct target *target = data;
	struct profil_binding *binding = target->binding;
	struct task_struct *task = target->proof->target;
	int err;

	target->binding = NULL;
	profil_binding_init(binding, target->mm, profile);
	profil_binding_own(binding, target->owned, profil_recording_life(profile, target->mm));
	if (profile->flags & PROFIL_THREAD)
		err = profil_attach_publish_thread(binding, target);
	else
		err = profil_watch_publish(binding, target->watch, task);
	if (err) {
		profil_binding_drop(binding);
		return err;
	}
	target->watch = NULL;
	/* A thread that adds itself need not interrupt other CPUs. */
	if (profile->flags & PROFIL_THREAD && task == current)
		profil_clock_look_here();
	else
		profil_clock_look(target->mm);
	return 0;
}

static int profil_attach_everybody(struct profil_profile *profile, void *unused)
{
	int err = profil_everybody_begin(profile);

	if (!err)
		profil_clock_look_all();
	return err;
}

/* The target was not added: end its owner, unless the target lives and is already followed. */
static void profil_attach_end_owner(struct profil_profile *profile, const struct target *target,
				    bool exited)
{
	rcu_read_lock();
	if (exited || profil_watched_owner(profile, target->pid).owner != target->owned.owner)
		profil_owner_end(profile->recording, target->owned, target->pid, false);
	rcu_read_unlock();
}

/* Entering the proof may wait for a target in execve(2), and so for memory: no lock is held. */
static int profil_attach_target(struct profil_profile *profile, struct profil_proof *proof,
				bool first)
{
	bool thread = profile->flags & PROFIL_THREAD;
	struct target target = { .proof = proof };
	int err = -ENOMEM;

	target.pid = get_task_pid(proof->target, thread ? PIDTYPE_PID : PIDTYPE_TGID);
	target.binding = profil_binding_alloc();
	if (!thread)
		target.watch = kzalloc(sizeof(*target.watch), GFP_KERNEL_ACCOUNT);
	if (target.binding && (target.watch || thread))
		err = target.pid ? profil_attach_enter(&target, profile) : -ESRCH;
	if (err)
		goto free;
	if (first) {
		err = profil_profile_begin(profile, 0, profil_attach_publish, &target);
	} else {
		/* Under the lock, the recording either has ended or cannot end. */
		mutex_lock(&profile->lock);
		err = profil_attach_publish(profile, &target);
		mutex_unlock(&profile->lock);
	}
	if (err)
		profil_attach_end_owner(profile, &target, err == -ESRCH);
	profil_proof_leave(proof, target.mm);
	profil_file_put(target.program);
free:
	profil_binding_free(target.binding);
	kfree(target.watch);
	put_pid(target.pid);
	return err;
}

/* Takes over @recording, even if this fails. */
static int profil_attach_try(struct profil_session *session, struct profil_layout *layout,
			     struct profil_recording *recording, struct profil_proof *proof,
			     u32 *number)
{
	bool event = layout->how.flags & PROFIL_EVENT;
	struct profil_profile *profile;
	struct perf_event_attr attr;
	int err = event ? profil_source_choose(&attr, proof->event, layout->how.period) : 0;
	u32 id;

	profile = err ? ERR_PTR(err) : profil_profile_create(layout, session);
	if (IS_ERR(profile)) {
		profil_recording_free(recording);
		return PTR_ERR(profile);
	}
	profile->recording = recording;
	err = xa_alloc(&session->profiles, &id, NULL, xa_limit_32b, GFP_KERNEL_ACCOUNT);
	if (err)
		goto put;
	profile->id = id;
	/* Locked, because the notifier of modules may already give out a number. */
	raw_spin_lock_irq(&recording->lock);
	recording->news = &session->news;
	raw_spin_unlock_irq(&recording->lock);
	err = profil_profile_prepare(profile, event ? &attr : NULL);
	if (!err && proof->target)
		err = profil_attach_target(profile, proof, true);
	else if (!err)
		err = profil_profile_begin(profile, 0, profil_attach_everybody, NULL);
	if (err)
		goto erase;
	/* Only now can commands find the recording.  This cannot fail: the entry is reserved. */
	xa_store(&session->profiles, id, profile, GFP_KERNEL_ACCOUNT);
	*number = id;
	return 0;
erase:
	xa_erase(&session->profiles, id);
put:
	profil_profile_retire(profile, PROFIL_STATE_STOPPED);
	profil_profile_put(profile);
	return err;
}

/* Takes over @recording, even if this fails. */
static int profil_attach_start(struct profil_session *session, struct profil_record *record,
			       const struct profil_start *how,
			       struct profil_recording *recording)
{
	struct profil_layout *layout;
	struct profil_proof proof;
	int err;

	layout = profil_layout_create(how, true);
	err = PTR_ERR_OR_ZERO(layout);
	if (err)
		goto free;
	if (recording->self)
		err = profil_proof_self(&proof, recording->single);
	else
		err = profil_proof_open(&proof, record->proof, record->flags, recording->kernel,
					record->target);
	if (err)
		goto put_layout;
	err = profil_attach_try(session, layout, recording, &proof, &record->profile);
	recording = NULL;
	profil_proof_close(&proof);
put_layout:
	profil_layout_put(layout);
free:
	profil_recording_free(recording);
	return err;
}

/* A recording of an event needs a proof with the same event for each of its processes. */
static int profil_attach_check_event(struct profil_profile *profile,
				     const struct profil_proof *proof)
{
	struct perf_event_attr attr;
	int err;

	if (!profile->claim.source)
		return 0;
	err = profil_source_choose(&attr, proof->event, profile->period);
	if (err)
		return err;
	if (profil_source_is(&profile->claim, &attr))
		return 0;
	/* The recording may have ended in the meantime, and given up its claim. */
	if (READ_ONCE(profile->state) != PROFIL_STATE_RUNNING)
		return -ENOENT;
	return -EACCES;
}

/* A process adds its own threads, each by itself, to the recording of these. */
static int profil_attach_own(struct profil_profile *profile, const struct profil_add *add,
			     struct profil_proof *proof)
{
	struct profil_pins *pins;
	bool own;

	if (!profile->recording->single || add->proof != -1 || add->target)
		return -EINVAL;
	pins = profil_profile_get_pins(profile);
	if (!pins)
		return -ENOENT;
	own = pins->mm == current->mm;
	profil_pins_put(pins);
	return own ? profil_proof_self(proof, true) : -EPERM;
}

static int profil_attach_add(struct profil_profile *profile, const struct profil_add *add)
{
	const struct profil_recording *recording = profile->recording;
	struct profil_proof proof;
	int err;

	if (profile->everybody || (add->target && profile->flags & PROFIL_EVENT))
		return -EINVAL;
	if (READ_ONCE(profile->state) != PROFIL_STATE_RUNNING)
		return -ENOENT;
	if (recording->self)
		err = profil_attach_own(profile, add, &proof);
	else
		err = profil_proof_open(&proof, add->proof, profile->flags, recording->kernel,
					add->target);
	if (err)
		return err;
	err = profil_attach_check_event(profile, &proof);
	if (!err)
		err = profil_attach_target(profile, &proof, false);
	profil_proof_close(&proof);
	return err;
}

/**
 * profil_session_add() - PROFIL_ADD
 * @session: the file's session
 * @arg: copied from user space
 *
 * Context: Process context, may sleep.
 * Return: 0; or, with nothing changed, an error listed at the head of <linux/profil.h> or of
 * <linux/profil_record.h>.
 */
int profil_session_add(struct profil_session *session, union profil_argument *arg)
{
	const struct profil_add *add = &arg->add;
	struct profil_profile *profile;
	int err;

	if (add->flags || add->reserved)
		return -EINVAL;
	profile = profil_session_find(session, add->profile);
	if (!profile)
		return -ENOENT;
	err = profil_attach_add(profile, add);
	profil_profile_put(profile);
	return err;
}

/**
 * profil_session_table() - PROFIL_TABLE
 * @session: the file's session
 * @arg: copied from user space
 *
 * Context: Process context, may sleep.
 * Return: as profil_session_add().
 */
int profil_session_table(struct profil_session *session, union profil_argument *arg)
{
	const struct profil_table *table = &arg->table;
	struct profil_profile *profile;
	struct profil_start start = {};
	int err;

	if (table->flags)
		return -EINVAL;
	err = profil_recording_check_table(table->table, table->nr_counts, &start);
	if (err)
		return err;
	profile = profil_session_find(session, table->profile);
	if (!profile)
		return -ENOENT;
	if (READ_ONCE(profile->state) == PROFIL_STATE_RUNNING)
		err = profil_recording_move(profile, &start);
	else
		err = -ENOENT;
	profil_profile_put(profile);
	return err;
}

/**
 * profil_session_wait() - PROFIL_WAIT: arm the wake-up of the session's reader
 * @session: the file's session
 * @arg: copied from user space
 *
 * Context: Process context, may sleep.
 * Return: as profil_session_add().
 */
int profil_session_wait(struct profil_session *session, union profil_argument *arg)
{
	const struct profil_wait *wait = &arg->wait;
	struct profil_profile *profile;
	int err = -ENOENT;

	if (wait->flags || !wait->keys || wait->keys > INT_MAX)
		return -EINVAL;
	profile = profil_session_find(session, wait->profile);
	if (!profile)
		return -ENOENT;
	/* Under the lock, the recording's end is either seen here or wakes the reader later. */
	mutex_lock(&profile->lock);
	if (READ_ONCE(profile->state) == PROFIL_STATE_RUNNING) {
		profil_news_await(&session->news, wait->keys);
		err = 0;
	}
	mutex_unlock(&profile->lock);
	profil_profile_put(profile);
	return err;
}

/**
 * profil_session_record() - PROFIL_RECORD
 * @session: the file's session
 * @arg: copied from user space; its output is filled in
 *
 * Context: Process context, may sleep.
 * Return: as profil_session_add().
 */
int profil_session_record(struct profil_session *session, union profil_argument *arg)
{
	struct profil_record *record = &arg->record;
	struct profil_recording *recording;
	struct profil_start start;
	int err = profil_recording_check(record, &start);

	if (err)
		return err;
	recording = profil_recording_create(record, session->ns);
	if (IS_ERR(recording))
		return PTR_ERR(recording);
	return profil_attach_start(session, record, &start, recording);
}
