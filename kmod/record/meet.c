// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a process gets into a system-wide recording.
 *
 * It gets a watch, which has the owner of its ticks, when it forks, executes a program or
 * has a tick; each of its address spaces gets a binding when a tick there has to be resolved.
 * So a program without ticks costs a watch, and one that does nothing costs nothing.
 *
 * Context: tracepoint probe
 */
#include "record/record.h"

#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

/**
 * profil_meet_process() - watch a process for a system-wide recording
 * @bucket: of @pid
 * @profile: of the recording
 * @pid: the process's thread group
 * @owned: the owner of its ticks
 * @memory: as for profil_watch_add()
 *
 * Context: Any; the lock of @bucket is held, with interrupts off.
 * Return: the watch that it has now, which may have been there; NULL: none, as the recording has
 * ended, there are too many, or the session follows it for another profile.
 */
struct profil_watch *profil_meet_process(struct profil_bucket *bucket,
					 struct profil_profile *profile, struct pid *pid,
					 struct profil_owned owned, struct profil_watch *memory)
{
	struct profil_watch *watch = profil_watch_find(bucket, profile, pid);

	if (!watch) {
		watch = profil_watch_add(bucket, profile, pid, owned, memory);
		return IS_ERR(watch) ? NULL : watch;
	}
	if (watch->profile != profile)
		return NULL;
	/* There was no memory for its owner when it forked or executed a program. */
	if (watch->owned.owner == PROFIL_NOBODY.owner)
		profil_owned_write(&watch->owned, owned);
	return watch;
}

/**
 * profil_meet_alloc() - memory for what a tick has found
 * @profile: of a recording, whose memory cgroup is active
 * @bytes: how much
 *
 * In a system-wide recording no task reclaims memory; only the work that fills the pool does.
 * Nor does the work item that all recordings share (record/unmet.c).
 *
 * Context: Process context, may sleep.
 * Return: zeroed memory, to be freed with kfree(), or NULL.
 */
void *profil_meet_alloc(const struct profil_profile *profile, size_t bytes)
{
	bool at_once = profile->everybody || current->flags & PF_WQ_WORKER;
	void *memory = profil_alloc(bytes, at_once ? PROFIL_GFP_AT_ONCE : PROFIL_GFP_SPARING);

	if (memory || bytes > PROFIL_NODE_SIZE || !profile->everybody)
		return memory;
	return profil_recording_take(profile->recording, PROFIL_POOL_PROBES);
}

/**
 * profil_meet_fill() - memory for two entries: an owner or a cell, and its text
 * @profile: as for profil_meet_alloc()
 * @pool: receives them, unless there is no memory; the caller empties it
 *
 * Context: Process context, may sleep.
 */
void profil_meet_fill(const struct profil_profile *profile, struct profil_pool *pool)
{
	unsigned int i;
	void *node;

	for (i = 0; i < 2; i++) {
		node = profil_meet_alloc(profile, sizeof(struct profil_entry));
		if (node)
			profil_pool_give(pool, node);
	}
}

/**
 * profil_meet_task() - find the owner of a task's ticks in a system-wide recording
 * @profile: of the recording, whose memory cgroup is active
 * @task: current; or referenced, and a kernel thread or kept from executing a program
 * @mm: its address space; NULL for a kernel thread
 * @payer: profil_payer() of the task
 *
 * Context: Process context, may sleep.
 * Return: its owner; PROFIL_NOBODY without memory, or if it exits.
 */
struct profil_owned profil_meet_task(struct profil_profile *profile, struct task_struct *task,
				     struct mm_struct *mm, unsigned long payer)
{
	struct profil_recording *recording = profile->recording;
	struct pid *pid = get_task_pid(task, PIDTYPE_TGID);
	struct profil_owned owned = PROFIL_NOBODY;
	struct profil_watch *watch = NULL, *met = NULL;
	struct profil_pool pool = {};
	struct profil_bucket *bucket;
	unsigned long flags;

	/* It has, or may have, passed the exit probe, which would end the watch. */
	if (!pid || READ_ONCE(task->flags) & PF_EXITING)
		goto free;
	watch = profil_meet_alloc(profile, sizeof(*watch));
	if (!watch)
		goto free;
	/* Its program may have an owner already; then that needs no memory. */
	owned = profil_owner_task(recording, task, mm, 0, &pool, payer);
	if (profil_recording_lacks_owner(recording, owned, payer)) {
		profil_meet_fill(profile, &pool);
		owned = profil_owner_task(recording, task, mm, 0, &pool, payer);
	}
	/* There was no memory, or no number: the process's next tick tries again. */
	if (profil_recording_lacks_owner(recording, owned, payer))
		goto free;
	bucket = profil_watch_bucket(pid);
	raw_spin_lock_irqsave(&bucket->lock, flags);
	met = profil_meet_process(bucket, profile, pid, owned, watch);
	/* As in profil_watch_publish(): @task may be exiting, unless it is current. */
	smp_mb();
	if (met && !atomic_read(&task->signal->live))
		profil_watch_exit(met);
	/* Without a watch the owner keeps its name: system-wide readers may see every program. */
	if (met)
		owned = profil_owned_read(&met->owned);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
free:
	profil_pool_empty(&pool);
	put_pid(pid);
	if (met != watch)
		kfree(watch);
	return owned;
}
