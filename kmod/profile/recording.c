// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording: numbers for texts and cells.
 *
 * A text, an owner or a cell gets a number when it is first needed, a module when it is loaded or
 * unloaded.  The reader may look up a number until it forgets the number, or the recording is
 * freed.  A forgotten number is given out again only after all others.
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
/* Guards the list, and the data on modules of its recordings. */
DEFINE_MUTEX(profil_told_lock);
LIST_HEAD(profil_told);

/* Context: Process. */
static void profil_entry_free(struct profil_entry *entry)
{
	profil_file_put(entry->file);
	put_pid(entry->pid);
	kfree(entry);
}

/**
 * profil_recording_clear() - free the entries of a recording, and its chains
 * @recording: has ended, or was never published.  Tasks that answer its last questions, and
 *	commands, may still look for numbers: they find none
 *
 * The last reference to a recording may be that of a task whose tick waits for as long as the task
 * does.  Such a task must not keep the files of other users' programs open.
 *
 * Context: Process.
 */
void profil_recording_clear(struct profil_recording *recording)
{
	struct hlist_head *hash, *number = recording->number;
	struct profil_entry *entry;
	struct hlist_node *next;
	unsigned long flags;
	u32 i;

	mutex_lock(&profil_told_lock);
	list_del_init(&recording->told);
	mutex_unlock(&profil_told_lock);
	raw_spin_lock_irqsave(&recording->lock, flags);
	hash = recording->hash;
	recording->hash = NULL;
	WRITE_ONCE(recording->entries, 0);
	raw_spin_unlock_irqrestore(&recording->lock, flags);
	for (i = 0; hash && i < 1U << recording->bits; i++) {
		hlist_for_each_entry_safe(entry, next, &number[i], next)
			profil_entry_free(entry);
		cond_resched();
	}
	kvfree(hash);
	profil_user_uncharge_pages(recording->user, recording->charged);
	recording->charged = 0;
	profil_recording_charge(recording);
}

/**
 * profil_recording_free() - free a recording
 * @recording: nothing can reach it any more; or NULL
 *
 * Context: Process.
 */
void profil_recording_free(struct profil_recording *recording)
{
	if (!recording)
		return;
	/* No more work is queued: that needs a reference or an RCU reader, and none is left. */
	cancel_delayed_work_sync(&recording->fill);
	cancel_delayed_work_sync(&recording->leave);
	profil_pool_empty(&recording->pool);
	profil_recording_clear(recording);
	profil_user_put(recording->user);
	if (recording->threads)
		put_pid_ns(recording->threads);
	mem_cgroup_put(recording->memcg);
	atomic64_dec(&profil_recordings);
	kfree(recording);
}

/**
 * profil_recording_leave() - detach a recording from its session, which may end
 * @recording: ticks no longer find pins in its profile, but tasks that answer its last
 *	questions may still add numbers
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
	/* Hashed with a secret, because the reader chooses which numbers to forget. */
	u64 hash = siphash_1u64(number, &recording->key);

	return &recording->number[hash >> (64 - recording->bits)];
}

/* An owner's cells for the texts that every recording has are part of its entry. */
static u32 profil_entry_numbers(const struct profil_identity *same)
{
	return same->kind == PROFIL_KIND_OWNER ? PROFIL_OWNER_NUMBERS : 1;
}

/**
 * profil_recording_numbered() - find the entry whose first number is @number
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
	if (!recording->hash)
		return NULL;
	hlist_for_each_entry(entry, profil_recording_numbers(recording, number), next)
		if (entry->number == number)
			return entry;
	return NULL;
}

/*
 * The number of lookups that one call makes in search of free numbers: it holds the lock, with
 * interrupts off.
 */
#define LOOK_AT		256

/*
 * Find a row of free numbers for an entry.  After the highest number, the search goes on at the
 * lowest, and skips numbers in use.  Return: true if the row begins after recording->nr; false if
 * too many are in use, in all or by the payer, if the recording has ended, or if LOOK_AT steps
 * found no row: then the next call looks further.
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
		/* Skip the entry's other numbers, which the lookup does not find. */
		if (entry)
			number += profil_entry_numbers(&entry->same) - 1;
	}
	recording->nr = number - row;
	return row == count;
}

static void profil_recording_count(struct profil_recording *recording,
				   const struct profil_entry *entry, int change)
{
	WRITE_ONCE(recording->entries, recording->entries + change);
	profil_shares_take(&recording->numbers, entry->share,
			   change * (int)profil_entry_numbers(&entry->same));
}

/* @chain: the chain for the identity of @like; no entry in it has that identity yet. */
static struct profil_entry *profil_recording_add(struct profil_recording *recording,
						 const struct profil_entry *like,
						 struct hlist_head *chain,
						 struct profil_pool *pool, unsigned long payer)
{
	u32 numbers = profil_entry_numbers(&like->same);
	struct profil_entry *entry;

	if (!profil_recording_row(recording, numbers, payer))
		return NULL;
	if (pool == &recording->pool)
		entry = profil_recording_node(recording, profil_recording_share(recording, payer),
					      0);
	else
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
 * profil_recording_find_locked() - find the entry of an identity, or add it
 * @recording: its lock is held
 * @like: the identity, and all other members of a new entry, which gets its own references
 * @pool: memory for a new entry: the recording's pool, or one of the caller's own
 * @payer: profil_payer() of the task that the number is for; 0: it is for no user
 *
 * Context: Any.
 * Return: the entry; NULL if there is no memory, or no free number.
 */
struct profil_entry *profil_recording_find_locked(struct profil_recording *recording,
						  const struct profil_entry *like,
						  struct profil_pool *pool, unsigned long payer)
{
	struct profil_entry *entry;
	struct hlist_head *chain;

	BUILD_BUG_ON(sizeof(*entry) > PROFIL_NODE_SIZE);
	lockdep_assert_held(&recording->lock);
	if (!recording->hash)
		return NULL;
	chain = profil_recording_chain(recording, &like->same);
	hlist_for_each_entry(entry, chain, node)
		if (!memcmp(&entry->same, &like->same, sizeof(like->same)))
			return entry;
	return profil_recording_add(recording, like, chain, pool, payer);
}

/**
 * profil_recording_find() - find the number of a text, an owner or a cell, or give out a new one
 * @recording: the recording
 * @like: as for profil_recording_find_locked(); an existing entry gets its state, user and
 *	cgroup, unless the recording has ended
 * @pool: likewise
 * @payer: likewise
 *
 * Context: Any but hard interrupt.
 * Return: the number; 0 if there is no memory, or no free number.
 */
u32 profil_recording_find(struct profil_recording *recording, const struct profil_entry *like,
			  struct profil_pool *pool, unsigned long payer)
{
	struct profil_entry *entry;
	unsigned long flags;
	u32 number = 0;

	raw_spin_lock_irqsave(&recording->lock, flags);
	entry = profil_recording_find_locked(recording, like, pool, payer);
	if (entry)
		number = entry->number;
	/* Nothing is noted of a process after the end of its recording. */
	if (entry && !recording->ended) {
		entry->state = like->state;
		entry->uid = like->uid;
		entry->cgroup = like->cgroup;
	}
	raw_spin_unlock_irqrestore(&recording->lock, flags);
	return number;
}

/**
 * profil_recording_identify() - get the identity of a file
 * @same: receives the identity
 * @file: a mapped or an executed file.  On overlayfs, a mapping's file is the layer's, even
 *	though its path is the overlay's, which may lead to a different file by now; a
 *	program's file is the overlay's.
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

/* Return: the entry that has a number; NULL if it was not given out, or was forgotten. */
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

/* Make an entry for a cell that is part of its owner's entry. */
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
 * profil_recording_get() - copy the entry of a number
 * @recording: the recording
 * @number: the number
 * @copy: receives the entry, with references to its file and PID
 * @numbers: receives the last number that was given out
 * @in_use: receives the count of numbers that were given out and not forgotten
 *
 * Context: Process.
 * Return: false if @number was not given out, or was forgotten.
 */
bool profil_recording_get(struct profil_recording *recording, u32 number,
			  struct profil_entry *copy, u32 *numbers, u32 *in_use)
{
	struct profil_entry *entry;
	unsigned long flags;

	raw_spin_lock_irqsave(&recording->lock, flags);
	*numbers = recording->nr;
	*in_use = recording->numbers.sum;
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
 * profil_recording_release() - take over a recording's reference to a file
 * @recording: the recording
 * @number: the number of a text, or any other
 *
 * Context: Process.
 * Return: the file, with the reference, or NULL.
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
 * profil_recording_forget() - forget a number and its entry
 * @recording: the recording
 * @number: a number, except those that every recording has
 *
 * Bindings and watches with this number go on counting for it, and so do hits, until they are no
 * longer valid.
 *
 * Context: Process.
 * Return: 0; -ENOENT if it was not given out, or was forgotten; -EINVAL for a cell that is part of
 * its owner's entry.
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
		hlist_del_init(&entry->node);	/* no effect for a module that has gone */
		hlist_del(&entry->next);
		profil_recording_count(recording, entry, -1);
	}
	raw_spin_unlock_irqrestore(&recording->lock, flags);
	if (!err)
		profil_entry_free(entry);
	return err;
}
