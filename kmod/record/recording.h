/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording: numbers for texts, owners and cells.
 *
 * Context: any
 */
#ifndef PROFIL_RECORDING_H
#define PROFIL_RECORDING_H

#include "profile/owned.h"

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/profil_record.h>
#include <linux/siphash.h>
#include <linux/spinlock_types.h>
#include <linux/types.h>

struct file;
struct mem_cgroup;
struct pid;

#define PROFIL_IDENTITY_BITS	9
/* Texts that every recording has, and their numbers. */
#define PROFIL_TEXT_KERNEL	1
#define PROFIL_TEXT_UNKNOWN	2

/**
 * struct profil_identity - what makes two entries the same
 * @kind: &enum profil_kind
 * @generation: FILE: of the inode
 * @word: FILE: address of the inode (compared, never dereferenced), device, number, size,
 *	time of change; VDSO: its mapping, its size; MEMORY: &struct profil_binding.life, its
 *	base; OWNER: text, command name, process if it matters; CELL: owner, text
 */
struct profil_identity {
	u32 kind;
	u32 generation;
	u64 word[5];
};

/**
 * struct profil_entry - what a number stands for
 * @node: in the recording's hash table
 * @number: from 1
 * @same: never changed
 * @file: FILE: referenced; NULL once it was released
 * @pid: MEMORY, OWNER of one process: that process, referenced
 * @owned: OWNER: with its cells
 *
 * Never changed but for @file, and freed with the recording.
 */
struct profil_entry {
	struct hlist_node node;
	u32 number;
	struct profil_identity same;
	struct file *file;
	struct pid *pid;
	struct profil_owned owned;
};

/**
 * struct profil_recording - what is known of the texts of a recording
 * @lock: guards @nr, @hash and @entry.  Raw, because probes take it with preemption off
 * @mask: elements of the table of counts minus 1; constant
 * @processes: each process is an owner of its own; constant
 * @memcg: pays for entries that tasks make, referenced; constant
 * @nobody: the owner for whom there was no number or memory; constant
 * @lives: address spaces so far, each of which has a number
 * @nr: numbers given
 * @key: of the hash, random: nobody can make others' entries share a chain; constant
 * @hash: entries by identity
 * @entry: entries by number, from 1
 */
struct profil_recording {
	raw_spinlock_t lock;	/* see the kernel-doc above */
	u32 mask;
	bool processes;
	struct mem_cgroup *memcg;
	struct profil_owned nobody;
	atomic64_t lives;
	u32 nr;
	siphash_key_t key;
	struct hlist_head hash[1 << PROFIL_IDENTITY_BITS];
	struct profil_entry *entry[PROFIL_NUMBERS];
};

/**
 * struct profil_spare - memory for entries, taken beforehand: none can be had under the lock
 * @node: zeroed, to be freed with kfree(); NULL once used
 *
 * As many as an owner may need: the text of its program, itself, and its two cells.
 */
struct profil_spare {
	struct profil_entry *node[4];
};

void profil_recording_free(struct profil_recording *recording);
u32 profil_recording_find(struct profil_recording *recording, const struct profil_identity *same,
			  struct profil_spare *spare, struct file *file, struct pid *pid);
bool profil_recording_owner(struct profil_recording *recording, struct file *program,
			    const char *name, struct pid *pid, struct profil_spare *spare,
			    struct profil_owned *owned);
bool profil_recording_fork(struct profil_recording *recording, struct profil_owned parent,
			   struct pid *pid, struct profil_spare *spare,
			   struct profil_owned *owned);
void profil_recording_identify(struct profil_identity *same, const struct file *file);
bool profil_recording_get(struct profil_recording *recording, u32 number,
			  struct profil_entry *copy, u32 *numbers);
struct file *profil_recording_release(struct profil_recording *recording, u32 number);
void profil_spare_free(struct profil_spare *spare);

#endif /* PROFIL_RECORDING_H */
