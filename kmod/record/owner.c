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

/* Get a task's effective user, and the ID of its cgroup v2 if the kernel has cgroups. */
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
 * credentials first, and then the exec probe ends the owner, under the recording's lock, which is
 * held here.  If execve(2) fails in between, it kills the process, and the reader may see the user
 * of a program that has run no instruction.  Return: the state of the owner.
 */
static u32 profil_owner_look_live(struct profil_entry *owner)
{
	const struct profil_entry before = *owner;
	u32 state = PROFIL_OWNER_ENDED;
	struct task_struct *task;

	rcu_read_lock();
	task = pid_task(owner->pid, PIDTYPE_TGID);
	if (task) {
		state = PROFIL_OWNER_LIVE;
		profil_owner_look(owner, task);
		/* The next program's credentials are published after in_execve was set. */
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
 * Return: the entry of a process's owner; NULL if the reader has forgotten it.  The process may
 * then still use the owner's number, which may be another entry's by now.
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
 * @owner: a copy of the entry of one process's owner; receives user, cgroup and state
 *
 * If the state is PROFIL_OWNER_EXECUTES, user and cgroup are those from when the owner began.
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

/* Find the owner of a task.  @like: its text, name and parent.  Return: as profil_owner_task(). */
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

/* Return: the number of a program's text; 0 without memory or numbers. */
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
 * profil_owner_task() - find the owner of a task's ticks, by the program that the task runs
 * @recording: the recording
 * @task: current; or a task that the caller keeps from executing another program
 * @program: what it executed; NULL for a kernel thread
 * @parent: the owner that executed the program, as profil_owner_end() returns it; 0: not known
 * @pool: memory for an owner and a text: the recording's pool, or one of the caller's own
 * @payer: profil_payer() of the task; 0: the numbers are for no user
 *
 * Context: Any but hard interrupt.
 * Return: the owner; PROFIL_NOBODY without memory or numbers, or if the task was reaped.
 */
struct profil_owned profil_owner_task(struct profil_recording *recording, struct task_struct *task,
				      struct file *program, u32 parent, struct profil_pool *pool,
				      unsigned long payer)
{
	struct profil_entry like = { .parent = parent };
	bool thread = recording->single && recording->processes, alive;

	BUILD_BUG_ON(sizeof_field(struct profil_describe, name) != TASK_COMM_LEN);
	BUILD_BUG_ON(TASK_COMM_LEN != 2 * sizeof(like.same.word[0]));
	like.same.word[0] = profil_owner_text(recording, task, program, pool, payer);
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
 * profil_owner_fork() - find the owner of a child's ticks
 * @recording: the recording
 * @owned: the parent's owner
 * @pid: the parent's thread group
 * @child: the child's task
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
 * profil_owner_end() - end the owner of a process
 * @recording: the recording
 * @owned: the owner; no effect if it is not of one process, or has ended
 * @pid: the process's thread group
 * @look: note the process's current user and cgroup for the reader, who gets these from now on,
 *	even if the recording has ended; the process's program has not changed
 *
 * Called when the process ends, executes another program, or is no longer followed.  In the last
 * case, the reader gets no later user and cgroup, because no probe would notice that the process
 * executes a program that the reader may not see.
 *
 * Context: Any but hard interrupt; with @look, the lock of its watch's bucket is held, which the
 * probe on execve(2) takes.
 * Return: the owner's number; 0 if the owner is not of one process, or is forgotten.
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
