// SPDX-License-Identifier: GPL-2.0-only
/*
 * Owners: the programs, processes and interrupts that a recording's ticks count for.
 *
 * Context: tracepoint probe
 */
#include "record/record.h"

#include <linux/cgroup.h>
#include <linux/lockdep.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>

/* Its effective user, and the ID of its cgroup v2, or 0 without cgroups. */
static void profil_recording_look(struct task_struct *task, kuid_t *uid, u64 *cgroup)
{
	rcu_read_lock();
	*uid = task_cred_xxx(task, euid);
#ifdef CONFIG_CGROUPS
	*cgroup = cgroup_id(task_dfl_cgroup(task));
#else
	*cgroup = 0;
#endif
	rcu_read_unlock();
}

/* Look at the process of a live owner.  Return: the state of the owner. */
static u32 profil_recording_look_live(struct pid *pid, kuid_t *uid, u64 *cgroup)
{
	u32 state = PROFIL_OWNER_LIVE;
	struct task_struct *task;
	kuid_t uid_now;
	u64 cgroup_now;

	rcu_read_lock();
	task = pid_task(pid, PIDTYPE_TGID);
	if (task) {
		profil_recording_look(task, &uid_now, &cgroup_now);
		/* Credentials of the next program are published after this bit was set. */
		smp_rmb();
		if (task->in_execve) {
			state = PROFIL_OWNER_EXECUTES;
		} else {
			*uid = uid_now;
			*cgroup = cgroup_now;
		}
	}
	rcu_read_unlock();
	return state;
}

/*
 * The owner of a process.  Return: NULL if the reader has forgotten it: the process may still
 * use its number, which may be another entry's by now.
 */
static struct profil_entry *profil_recording_owned(struct profil_recording *recording, u32 number,
						   const struct pid *pid)
{
	struct profil_entry *entry = profil_recording_numbered(recording, number);

	if (!pid || !entry || entry->same.kind != PROFIL_KIND_OWNER || entry->pid != pid)
		return NULL;
	return entry;
}

/**
 * profil_recording_refresh() - update the user, cgroup and state of an owner's process
 * @recording: the recording
 * @owner: copied from it, of one process; receives user, cgroup and state
 *
 * execve(2) changes the credentials and the name first, and then ends the owner, under the
 * lock.  So what is seen here is the owner's own, unless the state is PROFIL_OWNER_EXECUTES.
 *
 * Context: Any but hard interrupt.
 */
void profil_recording_refresh(struct profil_recording *recording, struct profil_entry *owner)
{
	const struct profil_entry *entry;
	unsigned long flags;

	raw_spin_lock_irqsave(&recording->lock, flags);
	entry = profil_recording_owned(recording, owner->number, owner->pid);
	if (entry) {
		owner->state = entry->state;
		owner->uid = entry->uid;
		owner->cgroup = entry->cgroup;
		/* Not every owner in a system-wide recording has a watch that ends it. */
		if (owner->state == PROFIL_OWNER_LIVE && recording->ended)
			owner->state = PROFIL_OWNER_ENDED;
		else if (owner->state == PROFIL_OWNER_LIVE)
			owner->state = profil_recording_look_live(owner->pid, &owner->uid,
								  &owner->cgroup);
	}
	raw_spin_unlock_irqrestore(&recording->lock, flags);
}

/*
 * @parent: the process of @owned's owner; the others are as for profil_recording_owner().
 * Return: false without memory or numbers, or if the task was reaped.
 */
static bool profil_recording_own(struct profil_recording *recording,
				 struct profil_identity *same, const struct pid *parent,
				 struct task_struct *task, struct profil_spare *spare,
				 struct profil_owned *owned)
{
	struct pid *pid = NULL;
	struct profil_entry *entry;
	unsigned long flags;

	if (recording->processes && task)
		pid = recording->single ? task_pid(task) : task_tgid(task);

	if (recording->processes && task && !pid)
		return false;
	same->word[3] = (uintptr_t)pid;
	raw_spin_lock_irqsave(&recording->lock, flags);
	entry = profil_recording_find_locked(recording, same, spare);
	if (entry && pid) {
		if (!entry->pid) {
			entry->pid = get_pid(pid);
			if (owned->owner != entry->number &&
			    profil_recording_owned(recording, owned->owner, parent))
				entry->parent = owned->owner;
		}
		entry->state = PROFIL_OWNER_LIVE;
		profil_recording_look(task, &entry->uid, &entry->cgroup);
	}
	if (entry)
		owned->owner = entry->number;
	raw_spin_unlock_irqrestore(&recording->lock, flags);
	return entry;
}

/**
 * profil_recording_owner() - the owner that a program's ticks count for
 * @recording: the recording
 * @program: the file that was executed; NULL: not known, or @task is a kernel thread
 * @name: the command name at that time, at most 16 bytes
 * @task: of the process that executes it, which may be an owner of its own; NULL: none
 * @spare: memory for it
 * @owned: the owner that forked the process, or executes @program, or 0; receives the owner
 *
 * Context: Any but hard interrupt.
 * Return: false without memory or numbers.
 */
bool profil_recording_owner(struct profil_recording *recording, struct file *program,
			    const char *name, struct task_struct *task,
			    struct profil_spare *spare, struct profil_owned *owned)
{
	struct profil_identity text = {}, owner = { .kind = PROFIL_KIND_OWNER };
	bool thread = task && task->flags & PF_KTHREAD;
	u32 number = thread ? PROFIL_TEXT_KERNEL : PROFIL_TEXT_UNKNOWN;

	BUILD_BUG_ON(sizeof_field(struct profil_describe, name) != 2 * sizeof(owner.word[0]));
	if (program) {
		profil_recording_identify(&text, program);
		number = profil_recording_find(recording, &text, spare, program, NULL);
		if (!number)
			return false;
	}
	owner.word[0] = number;
	memcpy(&owner.word[1], name, strnlen(name, 2 * sizeof(owner.word[0])));
	return profil_recording_own(recording, &owner, task ? task_tgid(task) : NULL, task, spare,
				    owned);
}

/**
 * profil_recording_own_state() - an owner that is not a process
 * @recording: the recording
 * @state: what it is: PROFIL_OWNER_IRQ, PROFIL_OWNER_SOFTIRQ; 0: that of unattributed ticks
 * @spare: memory for it
 * @owned: receives the owner
 *
 * Context: Any but hard interrupt.
 * Return: false without memory.
 */
bool profil_recording_own_state(struct profil_recording *recording, u32 state,
				struct profil_spare *spare, struct profil_owned *owned)
{
	struct profil_identity same = {
		.kind = PROFIL_KIND_OWNER, .word = { PROFIL_TEXT_UNKNOWN, 0, 0, state },
	};
	struct profil_entry *entry;
	unsigned long flags;

	raw_spin_lock_irqsave(&recording->lock, flags);
	entry = profil_recording_find_locked(recording, &same, spare);
	if (entry) {
		entry->state = state;
		owned->owner = entry->number;
	}
	raw_spin_unlock_irqrestore(&recording->lock, flags);
	return entry;
}

/**
 * profil_recording_fork() - the owner that a child's ticks count for
 * @recording: the recording
 * @child: a task of the child
 * @pid: its parent's thread group
 * @spare: memory for it
 * @owned: its parent's owner; receives the child's
 *
 * Context: Any but hard interrupt.
 * Return: false without memory or numbers.
 */
bool profil_recording_fork(struct profil_recording *recording, struct task_struct *child,
			   const struct pid *pid, struct profil_spare *spare,
			   struct profil_owned *owned)
{
	struct profil_identity same;
	struct profil_entry *parent;
	unsigned long flags;

	if (!recording->processes || owned->owner == recording->nobody.owner)
		return true;
	raw_spin_lock_irqsave(&recording->lock, flags);
	parent = profil_recording_owned(recording, owned->owner, pid);
	if (parent)
		same = parent->same;
	raw_spin_unlock_irqrestore(&recording->lock, flags);
	/* If the reader has forgotten the parent's owner, the program is no longer known. */
	return parent && profil_recording_own(recording, &same, pid, child, spare, owned);
}

/* The owner of a process, if it has not ended; or NULL. */
static struct profil_entry *profil_recording_live(struct profil_recording *recording,
						  struct profil_owned owned, const struct pid *pid)
{
	struct profil_entry *entry = profil_recording_owned(recording, owned.owner, pid);

	return entry && entry->state == PROFIL_OWNER_LIVE ? entry : NULL;
}

/**
 * profil_recording_end_owner() - a process ends, or executes another program
 * @recording: the recording
 * @owned: its owner; no effect if that is not of one process
 * @pid: its thread group
 * @task: looked at for the last time; NULL: it has changed already
 *
 * Context: Any but hard interrupt.
 */
void profil_recording_end_owner(struct profil_recording *recording, struct profil_owned owned,
				const struct pid *pid, struct task_struct *task)
{
	struct profil_entry *entry;
	unsigned long flags;

	if (!recording->processes)
		return;
	raw_spin_lock_irqsave(&recording->lock, flags);
	entry = profil_recording_live(recording, owned, pid);
	if (entry) {
		entry->state = PROFIL_OWNER_ENDED;
		if (task)
			profil_recording_look(task, &entry->uid, &entry->cgroup);
	}
	raw_spin_unlock_irqrestore(&recording->lock, flags);
}

/**
 * profil_recording_leave_owner() - a process goes on, but is no longer followed
 * @recording: the recording
 * @owned: its owner; no effect if that is not of one process
 * @pid: its thread group
 *
 * The reader is told its present user and cgroup, and no later ones: no probe would see it
 * execute a program whose user and cgroup must not be told.
 *
 * Context: Any but hard interrupt; the lock of its watch's bucket is held, which the probe on
 * execve(2) takes, or the proof that it may be recorded, which keeps it from execve(2).
 */
void profil_recording_leave_owner(struct profil_recording *recording, struct profil_owned owned,
				  const struct pid *pid)
{
	struct profil_entry *entry;
	unsigned long flags;

	if (!recording->processes)
		return;
	raw_spin_lock_irqsave(&recording->lock, flags);
	entry = profil_recording_live(recording, owned, pid);
	if (entry) {
		profil_recording_look_live(entry->pid, &entry->uid, &entry->cgroup);
		entry->state = PROFIL_OWNER_ENDED;
	}
	raw_spin_unlock_irqrestore(&recording->lock, flags);
}
