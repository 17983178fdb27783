// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording: numbers for texts, owners and cells.
 *
 * Numbers are given for what has used CPU time, and never taken back: a reader may ask
 * what any of them stands for until the recording is gone.
 *
 * Context: tracepoint probe
 */
#include "record/recording.h"

#include "compat.h"

#include <linux/file.h>
#include <linux/fs.h>
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/pid.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

atomic_t profil_recordings;

/**
 * profil_recording_free() - free a recording
 * @recording: nothing can reach it any more; or NULL
 *
 * Context: Process.
 */
void profil_recording_free(struct profil_recording *recording)
{
	u32 i;

	if (!recording)
		return;
	for (i = 1; i <= recording->nr; i++) {
		struct profil_entry *entry = recording->entry[i];

		if (entry->file)
			fput(entry->file);
		put_pid(entry->pid);
		kfree(entry);
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

static struct hlist_head *profil_recording_chain(struct profil_recording *recording,
						 const struct profil_identity *same)
{
	u64 hash = siphash(same, sizeof(*same), &recording->key);

	return &recording->hash[hash >> (64 - PROFIL_IDENTITY_BITS)];
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
	if (recording->nr == PROFIL_NUMBERS - 1)
		return NULL;
	entry = profil_spare_take(spare);
	if (!entry)
		return NULL;
	entry->same = *same;
	entry->number = ++recording->nr;
	recording->entry[entry->number] = entry;
	hlist_add_head(&entry->node, chain);
	return entry;
}

/**
 * profil_recording_find() - the number of a text or a cell, which gets one if it has none
 * @recording: the recording
 * @same: its identity
 * @spare: memory for it
 * @file: of a FILE, else NULL; referenced for a new entry
 * @pid: of MEMORY, or of an OWNER that is one process, else NULL; likewise
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

/* The owner and both cells.  Return: false without memory or numbers. */
static bool profil_recording_own(struct profil_recording *recording,
				 struct profil_identity *same, struct pid *pid,
				 struct profil_spare *spare, struct profil_owned *owned)
{
	struct profil_identity cell = { .kind = PROFIL_KIND_CELL };
	u32 owner;

	same->word[3] = recording->processes ? (uintptr_t)pid : 0;
	owner = profil_recording_find(recording, same, spare, NULL,
				      recording->processes ? pid : NULL);
	if (!owner)
		return false;
	cell.word[0] = owner;
	owned->word = 0;
	owned->owner = owner;
	cell.word[1] = PROFIL_TEXT_KERNEL;
	owned->kernel = profil_recording_find(recording, &cell, spare, NULL, NULL);
	cell.word[1] = PROFIL_TEXT_UNKNOWN;
	owned->unknown = profil_recording_find(recording, &cell, spare, NULL, NULL);
	return owned->kernel && owned->unknown;
}

/**
 * profil_recording_owner() - the owner that a program's ticks count for
 * @recording: the recording
 * @program: the file that was executed; NULL: not known
 * @name: the command name that it got then, at most 16 bytes
 * @pid: the process that executes it, in case that is an owner of its own
 * @spare: memory for it
 * @owned: receives the owner and its cells
 *
 * Context: Any but hard interrupt.
 * Return: false without memory or numbers.
 */
bool profil_recording_owner(struct profil_recording *recording, struct file *program,
			    const char *name, struct pid *pid, struct profil_spare *spare,
			    struct profil_owned *owned)
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
	return profil_recording_own(recording, &owner, pid, spare, owned);
}

/**
 * profil_recording_fork() - the owner that a child's ticks count for
 * @recording: the recording
 * @parent: its parent's owner
 * @pid: the child's process
 * @spare: memory for it
 * @owned: receives the owner and its cells
 *
 * Context: Any but hard interrupt.
 * Return: false without memory or numbers.
 */
bool profil_recording_fork(struct profil_recording *recording, struct profil_owned parent,
			   struct pid *pid, struct profil_spare *spare,
			   struct profil_owned *owned)
{
	struct profil_identity same;

	*owned = parent;
	if (!recording->processes || parent.owner == recording->nobody.owner)
		return true;
	/* What is there never changes. */
	same = recording->entry[parent.owner]->same;
	return profil_recording_own(recording, &same, pid, spare, owned);
}

/**
 * profil_recording_identify() - the identity of a file
 * @same: receives it
 * @file: mapped, or executed.  On overlayfs a mapping's file is that of the layer, and a
 *	program's file the one above.
 *
 * A library may be overwritten in place, hence the size and the time of change.  Numbers
 * of snapshots of btrfs repeat, hence the address.
 *
 * Context: Any but hard interrupt.
 */
void profil_recording_identify(struct profil_identity *same, const struct file *file)
{
	const struct inode *inode = d_real_inode(file->f_path.dentry);

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
 *
 * Context: Process.
 * Return: false if it was not given.
 */
bool profil_recording_get(struct profil_recording *recording, u32 number,
			  struct profil_entry *copy, u32 *numbers)
{
	unsigned long flags;
	bool known;

	raw_spin_lock_irqsave(&recording->lock, flags);
	*numbers = recording->nr;
	known = number && number <= recording->nr;
	if (known) {
		*copy = *recording->entry[number];
		if (copy->file)
			get_file(copy->file);
		get_pid(copy->pid);
	}
	raw_spin_unlock_irqrestore(&recording->lock, flags);
	return known;
}

/**
 * profil_recording_release() - take the reference to a file from a recording
 * @recording: the recording
 * @number: a number that was given
 *
 * Context: Process.
 * Return: the file, whose reference is the caller's now, or NULL.
 */
struct file *profil_recording_release(struct profil_recording *recording, u32 number)
{
	struct profil_entry *entry = recording->entry[number];
	unsigned long flags;
	struct file *file;

	raw_spin_lock_irqsave(&recording->lock, flags);
	file = entry->file;
	entry->file = NULL;
	raw_spin_unlock_irqrestore(&recording->lock, flags);
	return file;
}
