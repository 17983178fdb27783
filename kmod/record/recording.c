// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording: numbers for texts, owners and cells.
 *
 * Numbers are given for what has used CPU time.  The reader may ask what any of them stands
 * for, until it forgets it or the recording is gone; none is given twice.
 *
 * Context: tracepoint probe
 */
#include "record/recording.h"

#include "compat.h"

#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/lockdep.h>
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

atomic_t profil_recordings;

/* Context: Process. */
static void profil_entry_free(struct profil_entry *entry)
{
	if (entry->file)
		fput(entry->file);
	put_pid(entry->pid);
	kfree(entry);
}

/**
 * profil_recording_free() - free a recording
 * @recording: nothing can reach it any more; or NULL
 *
 * Context: Process.
 */
void profil_recording_free(struct profil_recording *recording)
{
	struct profil_entry *entry;
	struct hlist_node *next;
	u32 i;

	if (!recording)
		return;
	for (i = 0; i < 1U << recording->bits; i++) {
		hlist_for_each_entry_safe(entry, next, &recording->number[i], next)
			profil_entry_free(entry);
		cond_resched();
	}
	mem_cgroup_put(recording->memcg);
	atomic_dec(&profil_recordings);
	kvfree(recording);
}

static struct profil_entry *profil_spare_take(struct profil_spare *spare)
{
	struct profil_entry *taken;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(spare->node); i++) {
		taken = spare->node[i];
		spare->node[i] = NULL;
		if (taken)
			return taken;
	}
	return NULL;
}

/**
 * profil_spare_free() - free memory that was not needed
 * @spare: what is left of it
 *
 * Context: Process.
 */
void profil_spare_free(struct profil_spare *spare)
{
	struct profil_entry *entry;

	while ((entry = profil_spare_take(spare)))
		kfree(entry);
}

static unsigned int profil_spare_nodes(const struct profil_spare *spare)
{
	unsigned int nodes = 0, i;

	for (i = 0; i < ARRAY_SIZE(spare->node); i++)
		nodes += !!spare->node[i];
	return nodes;
}

static struct hlist_head *profil_recording_chain(struct profil_recording *recording,
						 const struct profil_identity *same)
{
	u64 hash = siphash(same, sizeof(*same), &recording->key);

	return &recording->hash[hash >> (64 - recording->bits)];
}

static struct hlist_head *profil_recording_numbers(struct profil_recording *recording, u32 number)
{
	return &recording->number[number & ((1U << recording->bits) - 1)];
}

/* Return: NULL if the number was not given, or was forgotten. */
static struct profil_entry *profil_recording_numbered(struct profil_recording *recording,
						      u32 number)
{
	struct profil_entry *entry;

	hlist_for_each_entry(entry, profil_recording_numbers(recording, number), next)
		if (entry->number == number)
			return entry;
	return NULL;
}

/* How many numbers it can still give. */
static u32 profil_recording_room(const struct profil_recording *recording)
{
	return min(recording->limit - recording->in_use, PROFIL_NUMBERS_MAX - recording->nr);
}

/* @chain: of its identity, in which there is no such entry. */
static struct profil_entry *profil_recording_add(struct profil_recording *recording,
						 const struct profil_identity *same,
						 struct hlist_head *chain,
						 struct profil_spare *spare)
{
	struct profil_entry *entry;

	if (!profil_recording_room(recording))
		return NULL;
	entry = profil_spare_take(spare);
	if (!entry)
		return NULL;
	recording->in_use++;
	entry->number = ++recording->nr;
	entry->same = *same;
	hlist_add_head(&entry->next, profil_recording_numbers(recording, entry->number));
	hlist_add_head(&entry->node, chain);
	return entry;
}

static struct profil_entry *profil_recording_find_locked(struct profil_recording *recording,
							 const struct profil_identity *same,
							 struct profil_spare *spare)
{
	struct hlist_head *chain = profil_recording_chain(recording, same);
	struct profil_entry *entry;

	hlist_for_each_entry(entry, chain, node)
		if (!memcmp(&entry->same, same, sizeof(*same)))
			return entry;
	return profil_recording_add(recording, same, chain, spare);
}

/**
 * profil_recording_find() - the number of a text or a cell, which gets one if it has none
 * @recording: the recording
 * @same: its identity
 * @spare: memory for it
 * @file: of a FILE, else NULL; referenced for a new entry
 * @pid: of MEMORY, else NULL; likewise
 *
 * Context: Any but hard interrupt.
 * Return: the number; 0 without memory, or without numbers.
 */
u32 profil_recording_find(struct profil_recording *recording, const struct profil_identity *same,
			  struct profil_spare *spare, struct file *file, struct pid *pid)
{
	struct profil_entry *entry;
	unsigned long flags;
	u32 nr, number = 0;

	raw_spin_lock_irqsave(&recording->lock, flags);
	nr = recording->nr;
	entry = profil_recording_find_locked(recording, same, spare);
	if (entry)
		number = entry->number;
	if (number > nr && file)
		entry->file = get_file(file);
	if (number > nr)
		entry->pid = get_pid(pid);
	raw_spin_unlock_irqrestore(&recording->lock, flags);
	return number;
}

/**
 * profil_recording_look() - who a process is
 * @task: one of its threads
 * @uid: receives its effective user
 * @cgroup: receives the number of its cgroup of version 2; 0: there are none
 *
 * Context: Any.
 */
void profil_recording_look(struct task_struct *task, kuid_t *uid, u64 *cgroup)
{
	rcu_read_lock();
	*uid = task_euid(task);
#ifdef CONFIG_CGROUPS
	*cgroup = cgroup_id(task_dfl_cgroup(task));
#else
	*cgroup = 0;
#endif
	rcu_read_unlock();
}

/*
 * An owner gets all its numbers, one after the other, or none.  Return: the owner, or NULL
 * without memory or numbers.
 */
static struct profil_entry *profil_recording_own_locked(struct profil_recording *recording,
							const struct profil_identity *same,
							struct profil_spare *spare)
{
	struct profil_identity cell = { .kind = PROFIL_KIND_CELL };
	struct profil_spare none = {};
	struct profil_entry *entry;
	u32 nr = recording->nr;

	lockdep_assert_held(&recording->lock);
	if (profil_recording_room(recording) < PROFIL_OWNER_NUMBERS ||
	    profil_spare_nodes(spare) < PROFIL_OWNER_NUMBERS)
		spare = &none;
	entry = profil_recording_find_locked(recording, same, spare);
	if (!entry || entry->number <= nr)
		return entry;
	cell.word[0] = entry->number;
	cell.word[1] = PROFIL_TEXT_KERNEL;
	profil_recording_find_locked(recording, &cell, spare);
	cell.word[1] = PROFIL_TEXT_UNKNOWN;
	profil_recording_find_locked(recording, &cell, spare);
	return entry;
}

/* @owned: as for profil_recording_owner().  Return: false without memory or numbers. */
static bool profil_recording_own(struct profil_recording *recording,
				 struct profil_identity *same, struct task_struct *task,
				 struct profil_spare *spare, struct profil_owned *owned)
{
	struct pid *pid = recording->processes && task ? task_tgid(task) : NULL;
	struct profil_entry *entry;
	unsigned long flags;

	same->word[3] = (uintptr_t)pid;
	raw_spin_lock_irqsave(&recording->lock, flags);
	entry = profil_recording_own_locked(recording, same, spare);
	if (entry && pid) {
		if (!entry->pid) {
			entry->pid = get_pid(pid);
			entry->parent = owned->owner;
		}
		entry->ended = false;
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
 * @program: the file that was executed; NULL: not known
 * @name: the command name that it got then, at most 16 bytes
 * @task: of the process that executes it, which may be an owner of its own; NULL: of none
 * @spare: memory for it
 * @owned: the owner of whom it is forked, or that executes it, or 0; receives the owner
 *
 * Context: Any but hard interrupt.
 * Return: false without memory or numbers.
 */
bool profil_recording_owner(struct profil_recording *recording, struct file *program,
			    const char *name, struct task_struct *task,
			    struct profil_spare *spare, struct profil_owned *owned)
{
	struct profil_identity text = {}, owner = { .kind = PROFIL_KIND_OWNER };
	u32 number = PROFIL_TEXT_UNKNOWN;

	BUILD_BUG_ON(sizeof_field(struct profil_describe, name) != 2 * sizeof(owner.word[0]));
	if (program) {
		profil_recording_identify(&text, program);
		number = profil_recording_find(recording, &text, spare, program, NULL);
		if (!number)
			return false;
	}
	owner.word[0] = number;
	memcpy(&owner.word[1], name, strnlen(name, 2 * sizeof(owner.word[0])));
	return profil_recording_own(recording, &owner, task, spare, owned);
}

/**
 * profil_recording_fork() - the owner that a child's ticks count for
 * @recording: the recording
 * @child: a task of the child
 * @spare: memory for it
 * @owned: its parent's owner; receives the child's
 *
 * Context: Any but hard interrupt.
 * Return: false without memory or numbers.
 */
bool profil_recording_fork(struct profil_recording *recording, struct task_struct *child,
			   struct profil_spare *spare, struct profil_owned *owned)
{
	struct profil_identity same;
	struct profil_entry *parent;
	unsigned long flags;

	if (!recording->processes || owned->owner == recording->nobody.owner)
		return true;
	raw_spin_lock_irqsave(&recording->lock, flags);
	parent = profil_recording_numbered(recording, owned->owner);
	if (parent)
		same = parent->same;
	raw_spin_unlock_irqrestore(&recording->lock, flags);
	/* The reader has forgotten the parent's, and with it which program it is. */
	return parent && profil_recording_own(recording, &same, child, spare, owned);
}

/**
 * profil_recording_end_owner() - a process ends, or executes another program
 * @recording: the recording
 * @owned: its owner; no effect if that is not of one process
 * @task: looked at for the last time; NULL: it has changed already
 *
 * Context: Any but hard interrupt.
 */
void profil_recording_end_owner(struct profil_recording *recording, struct profil_owned owned,
				struct task_struct *task)
{
	struct profil_entry *entry;
	unsigned long flags;

	if (!recording->processes)
		return;
	raw_spin_lock_irqsave(&recording->lock, flags);
	entry = profil_recording_numbered(recording, owned.owner);
	if (entry && entry->pid && !entry->ended) {
		entry->ended = true;
		if (task)
			profil_recording_look(task, &entry->uid, &entry->cgroup);
	}
	raw_spin_unlock_irqrestore(&recording->lock, flags);
}

/**
 * profil_recording_identify() - the identity of a file
 * @same: receives it
 * @file: mapped, or executed.  On overlayfs a mapping's file is that of the layer, even if
 *	its path is the one above, whose file may be another by now; a program's file is the
 *	one above.
 *
 * A library may be overwritten in place, hence the size and the time of change.  Numbers
 * of snapshots of btrfs repeat, hence the address.
 *
 * Context: Any but hard interrupt.
 */
void profil_recording_identify(struct profil_identity *same, const struct file *file)
{
	const struct inode *inode = file_inode(file);

	if (inode == d_inode(file->f_path.dentry))
		inode = d_real_inode(file->f_path.dentry);
	*same = (struct profil_identity) {
		.kind = PROFIL_KIND_FILE,
		.generation = inode->i_generation,
		.word = {
			(uintptr_t)inode, inode->i_sb->s_dev, inode->i_ino,
			i_size_read(inode), profil_inode_change_time(inode),
		},
	};
}

/**
 * profil_recording_get() - what a number stands for
 * @recording: the recording
 * @number: the number
 * @copy: receives the entry, with references to its file and PID
 * @numbers: receives the last number that was given
 * @in_use: receives how many are not forgotten
 *
 * Context: Process.
 * Return: false if it was not given, or is forgotten.
 */
bool profil_recording_get(struct profil_recording *recording, u32 number,
			  struct profil_entry *copy, u32 *numbers, u32 *in_use)
{
	struct profil_entry *entry;
	unsigned long flags;

	raw_spin_lock_irqsave(&recording->lock, flags);
	*numbers = recording->nr;
	*in_use = recording->in_use;
	entry = profil_recording_numbered(recording, number);
	if (entry) {
		*copy = *entry;
		if (copy->file)
			get_file(copy->file);
		get_pid(copy->pid);
	}
	raw_spin_unlock_irqrestore(&recording->lock, flags);
	return entry;
}

/**
 * profil_recording_release() - take the reference to a file from a recording
 * @recording: the recording
 * @number: a number
 *
 * Context: Process.
 * Return: the file, whose reference is the caller's now, or NULL.
 */
struct file *profil_recording_release(struct profil_recording *recording, u32 number)
{
	struct profil_entry *entry;
	struct file *file = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&recording->lock, flags);
	entry = profil_recording_numbered(recording, number);
	if (entry) {
		file = entry->file;
		entry->file = NULL;
	}
	raw_spin_unlock_irqrestore(&recording->lock, flags);
	return file;
}

/**
 * profil_recording_forget() - forget what a number stands for
 * @recording: the recording
 * @number: a number, but for those that every recording has
 *
 * Bindings, watches and hits that have it go on counting for it.
 *
 * Context: Process.
 */
void profil_recording_forget(struct profil_recording *recording, u32 number)
{
	struct profil_entry *entry;
	unsigned long flags;

	raw_spin_lock_irqsave(&recording->lock, flags);
	entry = profil_recording_numbered(recording, number);
	if (entry) {
		hlist_del(&entry->node);
		hlist_del(&entry->next);
		recording->in_use--;
	}
	raw_spin_unlock_irqrestore(&recording->lock, flags);
	if (entry)
		profil_entry_free(entry);
}
