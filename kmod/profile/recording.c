// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording: numbers for texts and cells.
 *
 * Numbers are given for what has used CPU time, and for modules that come and go.  The reader
 * may ask what a number stands for until it forgets the number, or the recording is freed.  A
 * forgotten number is given again only after all others.
 *
 * Context: tracepoint probe
 */
#include "profile/recording.h"

#include "base/limits.h"
#include "compat.h"

#include <linux/file.h>
#include <linux/lockdep.h>
#include <linux/memcontrol.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

atomic64_t profil_recordings;
/* Guards the list, and what its recordings know of modules. */
DEFINE_MUTEX(profil_told_lock);
LIST_HEAD(profil_told);

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
	mutex_lock(&profil_told_lock);
	list_del_init(&recording->told);
	mutex_unlock(&profil_told_lock);
	/* No more are queued: that needs a reference, or an RCU section that is over. */
	cancel_delayed_work_sync(&recording->fill);
	cancel_delayed_work_sync(&recording->leave);
	profil_pool_empty(&recording->pool);
	for (i = 0; recording->hash && i < 1U << recording->bits; i++) {
		hlist_for_each_entry_safe(entry, next, &recording->number[i], next)
			profil_entry_free(entry);
		cond_resched();
	}
	kvfree(recording->hash);
	profil_user_uncharge_pages(recording->user, recording->charged);
	profil_user_shift_pages(recording->user, -recording->kept);
	profil_user_put(recording->user);
	if (recording->threads)
		put_pid_ns(recording->threads);
	mem_cgroup_put(recording->memcg);
	atomic64_dec(&profil_recordings);
	kfree(recording);
}

/**
 * profil_recording_leave() - part a recording from its session, which may end
 * @recording: of a profile in which ticks no longer find pins.  Tasks that answer its last
 *	questions still add numbers.
 *
 * Context: Any but hard interrupt.
 */
void profil_recording_leave(struct profil_recording *recording)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&recording->lock, flags);
	recording->news = NULL;
	raw_spin_unlock_irqrestore(&recording->lock, flags);
}

static struct hlist_head *profil_recording_chain(struct profil_recording *recording,
						 const struct profil_identity *same)
{
	u64 hash = siphash(same, sizeof(*same), &recording->key);

	return &recording->hash[hash >> (64 - recording->bits)];
}

static struct hlist_head *profil_recording_numbers(struct profil_recording *recording, u32 number)
{
	/* Hashed with a secret, as the reader chooses which numbers stay. */
	u64 hash = siphash_1u64(number, &recording->key);

	return &recording->number[hash >> (64 - recording->bits)];
}

/* An owner's cells for the texts that every recording has are part of its entry. */
static u32 profil_entry_numbers(const struct profil_identity *same)
{
	return same->kind == PROFIL_KIND_OWNER ? PROFIL_OWNER_NUMBERS : 1;
}

/**
 * profil_recording_numbered() - the entry whose first number is this
 * @recording: its lock is held
 * @number: the number
 *
 * Context: Any.
 * Return: the entry; NULL if there is none.
 */
struct profil_entry *profil_recording_numbered(struct profil_recording *recording, u32 number)
{
	struct profil_entry *entry;

	lockdep_assert_held(&recording->lock);
	hlist_for_each_entry(entry, profil_recording_numbers(recording, number), next)
		if (entry->number == number)
			return entry;
	return NULL;
}

/*
 * How many numbers one call looks at for free ones, once numbers are given again: the lock is
 * held, with interrupts off.
 */
#define LOOK_AT		256

/*
 * Find room for an entry with consecutive numbers.  After the highest number they begin again,
 * without those that are in use.  Return: true if the numbers after the last one are free; false
 * if too many are in use, by all or by the payer, the recording has ended, or such a row is not
 * near: then the next call looks further.
 */
static bool profil_recording_row(struct profil_recording *recording, u32 count,
				 unsigned long payer)
{
	u32 number = recording->nr, row = 0, looks;
	const struct profil_entry *entry;

	if (recording->ended || profil_recording_left(recording, payer) < count)
		return false;
	for (looks = 0; looks < LOOK_AT && row < count; looks++) {
		if (number == PROFIL_NUMBERS_MAX) {
			number = PROFIL_NUMBERS_FIXED;
			row = 0;
		}
		entry = profil_recording_numbered(recording, ++number);
		row = entry ? 0 : row + 1;
		/* So no number that is looked at is behind an entry's first. */
		if (entry)
			number += profil_entry_numbers(&entry->same) - 1;
	}
	recording->nr = number - row;
	return row == count;
}

static void profil_recording_count(struct profil_recording *recording,
				   const struct profil_entry *entry, int change)
{
	u32 *used = &recording->used[entry->share];

	WRITE_ONCE(recording->entries, recording->entries + change);
	change *= profil_entry_numbers(&entry->same);
	/* Ticks read these without the lock. */
	WRITE_ONCE(recording->in_use, recording->in_use + change);
	WRITE_ONCE(*used, *used + change);
}

/* @chain: of its identity, without such an entry. */
static struct profil_entry *profil_recording_add(struct profil_recording *recording,
						 const struct profil_entry *like,
						 struct hlist_head *chain,
						 struct profil_pool *pool, unsigned long payer)
{
	u32 numbers = profil_entry_numbers(&like->same);
	struct profil_entry *entry;

	if (!profil_recording_row(recording, numbers, payer))
		return NULL;
	entry = profil_pool_take(pool);
	if (!entry) {
		if (pool == &recording->pool && !recording->ended)
			atomic64_inc(&profil_totals.pool_empty);
		return NULL;
	}
	*entry = *like;
	entry->number = recording->nr + 1;
	recording->nr += numbers;
	entry->share = profil_recording_share(recording, payer);
	if (entry->file)
		get_file(entry->file);
	get_pid(entry->pid);
	profil_recording_count(recording, entry, 1);
	hlist_add_head(&entry->next, profil_recording_numbers(recording, entry->number));
	hlist_add_head(&entry->node, chain);
	if (recording->news)
		profil_news_tell(recording->news);
	return entry;
}

/**
 * profil_recording_find_locked() - the entry of an identity, added if it is new
 * @recording: its lock is held
 * @like: its identity, and all else that a new entry is to have: it gets references of its own
 * @pool: memory for it: the recording's pool, or one of the caller's own
 * @payer: profil_payer() of the task for which the number is given; 0: of no user's
 *
 * Context: Any.
 * Return: the entry; NULL without memory, or without numbers.
 */
struct profil_entry *profil_recording_find_locked(struct profil_recording *recording,
						  const struct profil_entry *like,
						  struct profil_pool *pool, unsigned long payer)
{
	struct hlist_head *chain = profil_recording_chain(recording, &like->same);
	struct profil_entry *entry;

	BUILD_BUG_ON(sizeof(*entry) > PROFIL_NODE_SIZE);
	lockdep_assert_held(&recording->lock);
	hlist_for_each_entry(entry, chain, node)
		if (!memcmp(&entry->same, &like->same, sizeof(like->same)))
			return entry;
	return profil_recording_add(recording, like, chain, pool, payer);
}

/**
 * profil_recording_find() - the number of a text, an owner or a cell, given now if it is new
 * @recording: the recording
 * @like: as for profil_recording_find_locked(); an entry that is there gets the state, the user
 *	and the cgroup
 * @pool: likewise
 * @payer: likewise
 *
 * Context: Any but hard interrupt.
 * Return: the number; 0 without memory, or without numbers.
 */
u32 profil_recording_find(struct profil_recording *recording, const struct profil_entry *like,
			  struct profil_pool *pool, unsigned long payer)
{
	struct profil_entry *entry;
	unsigned long flags;
	u32 number = 0;

	raw_spin_lock_irqsave(&recording->lock, flags);
	entry = profil_recording_find_locked(recording, like, pool, payer);
	if (entry) {
		entry->state = like->state;
		entry->uid = like->uid;
		entry->cgroup = like->cgroup;
		number = entry->number;
	}
	raw_spin_unlock_irqrestore(&recording->lock, flags);
	return number;
}

/**
 * profil_recording_identify() - the identity of a file
 * @same: receives it
 * @file: mapped, or executed.  On overlayfs, a mapping's file is the layer's, even if its
 *	path is the overlay's, which may lead to another file by now; a program's file is
 *	the overlay's.
 *
 * A library may be overwritten in place, hence the size and the time of change.  Inode
 * numbers repeat in snapshots of btrfs, hence the address.
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

/* The entry that a number is of; NULL if it was not given, or was forgotten. */
static struct profil_entry *profil_recording_having(struct profil_recording *recording, u32 number)
{
	struct profil_entry *entry;
	u32 behind;

	for (behind = 0; behind < PROFIL_OWNER_NUMBERS && behind < number; behind++) {
		entry = profil_recording_numbered(recording, number - behind);
		if (entry)
			return behind < profil_entry_numbers(&entry->same) ? entry : NULL;
	}
	return NULL;
}

/* The cell of an owner for a text that every recording has, as an entry of its own. */
static void profil_entry_cell(struct profil_entry *cell, const struct profil_entry *owner,
			      u32 number)
{
	*cell = (struct profil_entry) {
		.number = number,
		.same = {
			.kind = PROFIL_KIND_CELL,
			.word = { owner->number, number - owner->number },
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
	entry = profil_recording_having(recording, number);
	if (entry && entry->number != number) {
		profil_entry_cell(copy, entry, number);
	} else if (entry) {
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
 * @number: a number, except those that every recording has
 *
 * Bindings and watches that have it go on counting for it, and hits until they are no longer
 * valid.
 *
 * Context: Process.
 * Return: 0; -ENOENT if it was not given, or is forgotten; -EINVAL for a cell that goes with
 * its owner.
 */
int profil_recording_forget(struct profil_recording *recording, u32 number)
{
	struct profil_entry *entry;
	unsigned long flags;
	int err = 0;

	raw_spin_lock_irqsave(&recording->lock, flags);
	entry = profil_recording_having(recording, number);
	if (!entry) {
		err = -ENOENT;
	} else if (entry->number != number) {
		err = -EINVAL;
	} else {
		WRITE_ONCE(recording->forgets, recording->forgets + 1);
		hlist_del_init(&entry->node);	/* code that has gone has left it */
		hlist_del(&entry->next);
		profil_recording_count(recording, entry, -1);
	}
	raw_spin_unlock_irqrestore(&recording->lock, flags);
	if (!err)
		profil_entry_free(entry);
	return err;
}
