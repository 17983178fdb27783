// SPDX-License-Identifier: GPL-2.0-only
/*
 * Owners: the programs, processes and interrupts that a recording's ticks count for.
 *
 * Context: tracepoint probe
 */
#include "record/record.h"

#include "compat.h"

#include <linux/cgroup.h>
#include <linux/file.h>
#include <linux/lockdep.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>

/* Its effective user, and the ID of its cgroup v2, or 0 without cgroups. */
static void profil_owner_look(struct profil_entry *owner, struct task_struct *task)
{
	rcu_read_lock();
	owner->uid = task_cred_xxx(task, euid);
#ifdef CONFIG_CGROUPS
	owner->cgroup = cgroup_id(task_dfl_cgroup(task));
#endif
	rcu_read_unlock();
}

/*
 * Look at the process of a live owner, by its leader, as /proc does.  execve(2) changes the
 * credentials first, and then ends the owner, under the recording's lock, which is held.
 * Return: the state of the owner.
 */
static u32 profil_owner_look_live(struct profil_entry *owner)
{
	const struct profil_entry before = *owner;
	u32 state = PROFIL_OWNER_LIVE;
	struct task_struct *task;

	rcu_read_lock();
	task = pid_task(owner->pid, PIDTYPE_TGID);
	if (task) {
		profil_owner_look(owner, task);
		/* Credentials of the next program are published after this bit was set. */
		smp_rmb();
		if (task->in_execve) {
			owner->uid = before.uid;
			owner->cgroup = before.cgroup;
			state = PROFIL_OWNER_EXECUTES;
		}
	}
	rcu_read_unlock();
	return state;
}

/*
 * The owner of a process.  Return: NULL if the reader has forgotten it: the process may still
 * use its number, which may be another entry's by now.
 */
static struct profil_entry *profil_owner_of(struct profil_recording *recording, u32 number,
					    const struct pid *pid)
{
	struct profil_entry *entry = profil_recording_numbered(recording, number);

	if (!pid || !entry || entry->same.kind != PROFIL_KIND_OWNER || entry->pid != pid)
		return NULL;
	return entry;
}

/**
 * profil_owner_refresh() - update the user, cgroup and state of an owner's process
 * @recording: the recording
 * @owner: copied from it, of one process; receives user, cgroup and state
 *
 * What is seen here is the owner's own, unless the state is PROFIL_OWNER_EXECUTES.
 *
 * Context: Any but hard interrupt.
 */
void profil_owner_refresh(struct profil_recording *recording, struct profil_entry *owner)
{
	const struct profil_entry *entry;
	unsigned long flags;

	raw_spin_lock_irqsave(&recording->lock, flags);
	entry = profil_owner_of(recording, owner->number, owner->pid);
	if (entry) {
		owner->state = entry->state;
		owner->uid = entry->uid;
		owner->cgroup = entry->cgroup;
		/* Not every owner in a system-wide recording has a watch that ends it. */
		if (owner->state == PROFIL_OWNER_LIVE)
			owner->state = recording->ended ? PROFIL_OWNER_ENDED :
							  profil_owner_look_live(owner);
	}
	raw_spin_unlock_irqrestore(&recording->lock, flags);
}

/* @like: its text and name, and its parent.  Return: as profil_owner_task(). */
static struct profil_owned profil_owner_find(struct profil_recording *recording,
					     struct profil_entry *like, struct task_struct *task,
					     struct profil_pool *pool, unsigned long payer)
{
	u32 number;

	like->same.kind = PROFIL_KIND_OWNER;
	if (recording->processes) {
		like->pid = get_task_pid(task, recording->single ? PIDTYPE_PID : PIDTYPE_TGID);
		if (!like->pid)
			return PROFIL_NOBODY;
		like->same.word[3] = (uintptr_t)like->pid;
		like->state = PROFIL_OWNER_LIVE;
		profil_owner_look(like, task);
	}
	number = profil_recording_find(recording, like, pool, payer);
	put_pid(like->pid);
	if (pool == &recording->pool)
		profil_recording_refill(recording);
	return number ? (struct profil_owned) { number } : PROFIL_NOBODY;
}

/* The number of a program's text.  Return: 0 without memory or numbers. */
static u32 profil_owner_text(struct profil_recording *recording, struct task_struct *task,
			     struct file *program, struct profil_pool *pool, unsigned long payer)
{
	struct profil_entry like = { .file = program };

	if (!program)
		return task->flags & PF_KTHREAD ? PROFIL_TEXT_KERNEL : PROFIL_TEXT_UNKNOWN;
	profil_recording_identify(&like.same, program);
	return profil_recording_find(recording, &like, pool, payer);
}

/**
 * profil_owner_task() - the owner that a task's ticks count for, by the program that it runs
 * @recording: the recording
 * @task: current; or the caller keeps it from executing another program
 * @mm: its address space; NULL: it is a kernel thread
 * @parent: profil_owner_end() of the owner that executed the program; 0: not known
 * @pool: memory for an owner and a text: the recording's pool, or one of the caller's own
 * @payer: profil_payer() of the task; 0: of no user's
 *
 * Context: Any but hard interrupt.
 * Return: the owner; PROFIL_NOBODY without memory or numbers, or if it was reaped.
 */
struct profil_owned profil_owner_task(struct profil_recording *recording, struct task_struct *task,
				      struct mm_struct *mm, u32 parent, struct profil_pool *pool,
				      unsigned long payer)
{
	struct file *program = mm ? profil_exe_file(mm) : NULL;
	struct profil_entry like = { .parent = parent };
	bool thread = recording->single && recording->processes, alive;

	BUILD_BUG_ON(sizeof_field(struct profil_describe, name) != TASK_COMM_LEN);
	BUILD_BUG_ON(TASK_COMM_LEN != 2 * sizeof(like.same.word[0]));
	like.same.word[0] = profil_owner_text(recording, task, program, pool, payer);
	if (program)
		fput(program);
	rcu_read_lock();
	/* A task that was reaped no longer has a leader. */
	alive = pid_alive(task);
	if (alive)
		strscpy_pad((char *)&like.same.word[1],
			    thread ? task->comm : task->group_leader->comm, TASK_COMM_LEN);
	rcu_read_unlock();
	if (!alive || !like.same.word[0])
		return PROFIL_NOBODY;
	return profil_owner_find(recording, &like, task, pool, payer);
}

/**
 * profil_owner_fork() - the owner that a child's ticks count for
 * @recording: the recording
 * @owned: its parent's owner
 * @pid: its parent's thread group
 * @child: a task of the child
 *
 * Context: Any but hard interrupt; current forks.
 * Return: the owner; PROFIL_NOBODY without memory or numbers.
 */
struct profil_owned profil_owner_fork(struct profil_recording *recording,
				      struct profil_owned owned, const struct pid *pid,
				      struct task_struct *child)
{
	struct profil_entry like = { .parent = owned.owner };
	struct profil_entry *parent;
	unsigned long flags;

	if (!recording->processes || owned.owner == PROFIL_NOBODY.owner)
		return owned;
	raw_spin_lock_irqsave(&recording->lock, flags);
	parent = profil_owner_of(recording, owned.owner, pid);
	if (parent)
		like.same = parent->same;
	raw_spin_unlock_irqrestore(&recording->lock, flags);
	/* If the reader has forgotten the parent's owner, the program is no longer known. */
	if (!parent)
		return PROFIL_NOBODY;
	return profil_owner_find(recording, &like, child, &recording->pool, profil_payer());
}

/**
 * profil_owner_end() - a process ends, executes another program, or is no longer followed
 * @recording: the recording
 * @owned: its owner; no effect if that is not of one process, or has ended
 * @pid: its thread group
 * @look: the reader is told its present user and cgroup: they have not changed with the program
 *
 * If the process goes on, the reader is told no later ones, as no probe would see it execute a
 * program whose user and cgroup must not be told.
 *
 * Context: Any but hard interrupt; with @look, the lock of its watch's bucket is held, which the
 * probe on execve(2) takes.
 * Return: its number; 0 if it is not of one process, or is forgotten.
 */
u32 profil_owner_end(struct profil_recording *recording, struct profil_owned owned,
		     const struct pid *pid, bool look)
{
	struct profil_entry *entry;
	unsigned long flags;

	if (!recording->processes)
		return 0;
	raw_spin_lock_irqsave(&recording->lock, flags);
	entry = profil_owner_of(recording, owned.owner, pid);
	if (entry && entry->state == PROFIL_OWNER_LIVE) {
		if (look)
			profil_owner_look_live(entry);
		entry->state = PROFIL_OWNER_ENDED;
	}
	raw_spin_unlock_irqrestore(&recording->lock, flags);
	return entry ? owned.owner : 0;
}
