/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording: numbers for texts, owners and cells.
 *
 * Context: any
 */
#ifndef PROFIL_RECORDING_H
#define PROFIL_RECORDING_H

#include "profile/binding.h"
#include "profile/profile.h"

#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/profil_record.h>

struct file;
struct mem_cgroup;
struct mutex;
struct pid;
struct pid_namespace;
struct profil_news;
struct profil_user;
struct task_struct;

/* recording.c */
/* Texts that every recording has, and their numbers. */
#define PROFIL_TEXT_KERNEL	1
#define PROFIL_TEXT_UNKNOWN	2
#define PROFIL_TEXT_THREADS	3
/* An owner's own number, and those of its cells for each of these texts, which come next. */
#define PROFIL_OWNER_NUMBERS	4
/* Owners that every recording has: of unattributed ticks, of interrupts, and of softirqs. */
#define PROFIL_NOBODY		((struct profil_owned) { 4 })
#define PROFIL_IRQ		((struct profil_owned) { 4 + PROFIL_OWNER_NUMBERS })
#define PROFIL_SOFTIRQ		((struct profil_owned) { 4 + 2 * PROFIL_OWNER_NUMBERS })
/* The last number of these texts and owners. */
#define PROFIL_NUMBERS_FIXED	(3 + 3 * PROFIL_OWNER_NUMBERS)
/* How many generations an offset in the kernel can hold; this one stands for unknown. */
#define PROFIL_GENERATIONS	255
#define PROFIL_GENERATION_SHIFT	32	/* in an offset in the kernel */
/* Numbers that a key can hold; fewer in a module for tests, which use them all up. */
#ifdef PROFIL_TEST_WINDOW
#define PROFIL_NUMBERS_MAX	((u32)BIT(8) - 1)
#else
#define PROFIL_NUMBERS_MAX	((u32)(BIT_ULL(64 - PROFIL_COUNT_SHIFT) - 1))
#endif

/* Shares of the numbers, for users by a hash; share 0 has no bound. */
#define PROFIL_SHARE_BITS	6
/* One number in so many is kept for share 0. */
#define PROFIL_NUMBERS_KEPT	8

/**
 * struct profil_identity - what makes two entries the same
 * @kind: &enum profil_kind
 * @generation: FILE: of the inode
 * @word: FILE: address of the inode (compared, never dereferenced), device, number, size,
 *	time of change; VDSO: its mapping, its size; MEMORY: &struct profil_binding.life, its
 *	base; OWNER: text, command name, process or &enum profil_owner_state if it matters;
 *	CELL: owner, text; MODULE: address, bytes, name
 */
struct profil_identity {
	u32 kind;
	u32 generation;
	u64 word[5];
};

/**
 * struct profil_entry - what a number stands for
 * @node: in the recording's chain for the hash of its identity, unless it is a MODULE that has gone
 * @next: in the chain for the hash of its number
 * @number: from 1; of an OWNER, the first of PROFIL_OWNER_NUMBERS
 * @parent: OWNER of one process: the owner that forked or executed it; 0: not known;
 *	MODULE: the last generation of its code
 * @state: OWNER: &enum profil_owner_state; MODULE: the first generation of its code
 * @share: of the numbers, in which it counts; constant
 * @same: never changed
 * @file: FILE: referenced; NULL once it was released
 * @pid: MEMORY, OWNER of one process: that process, referenced
 * @uid: OWNER of one process: its user, as of its beginning or end
 * @cgroup: likewise, the ID of its cgroup v2
 *
 * @parent of a MODULE, @state, @file, @uid and @cgroup change under the recording's lock.
 * Freed with it, or when the reader forgets it.
 */
struct profil_entry {
	struct hlist_node node;
	struct hlist_node next;
	u32 number;
	u32 parent;
	u32 state;
	u32 share;
	struct profil_identity same;
	struct file *file;
	struct pid *pid;
	kuid_t uid;
	u64 cgroup;
};

/**
 * struct profil_recording - what is known of the texts of a recording
 * @lock: guards @nr, @in_use, @used, @forgets, @hash and @number, and their entries; taking from
 *	@pool; @watches and @left.  Raw, because probes take it with preemption off
 * @processes: each process, or with @single each thread, is an owner of its own; constant
 * @single: single threads are recorded, not processes; constant
 * @threads: the PID namespace of the thread IDs that ticks count for, referenced; NULL: ticks
 *	do not count for threads; constant
 * @payer: of a system-wide recording: profil_payer() of the user who made it, whose share of the
 *	numbers has no bound.  0: no share has one; constant
 * @memcg: pays for @pool, and for entries that tasks add, referenced; constant
 * @pool: memory for bindings and watches of children, and for entries
 * @fill: fills @pool, and tries again later if it found no memory; until @ended is set
 * @watches: of the processes that it follows
 * @left: watches whose process has ended, which ticks may still find
 * @leave: takes them out of the table, and frees them
 * @kernel: the address of offset 0 in the kernel; 0: all its ticks count at offset 0; constant
 * @generation: of code in modules, up to PROFIL_GENERATIONS; changed by record/modules.c only,
 *	as are the following
 * @modules_ticked: there was a tick in a module in this generation
 * @told: in profil_told, or empty
 * @news: of its session, told of each number that is given; NULL once the session may end,
 *	after the last tick.  Changed under @lock
 * @lives: how many address spaces there were, each of which has a number
 * @forgets: how often something was forgotten: cached cell numbers older than this may be
 *	stale
 * @user: the account that pays for @hash and, when only the numbers are kept, for entries;
 *	referenced; constant
 * @charged: pages that it pays for @hash; constant
 * @kept: pages that it pays for entries
 * @ended: ticks have ended, so modules that come and go do not matter, no process is followed any
 *	more, and nothing is taken from @pool.  Set once, under @lock
 * @nr: the last number that was given
 * @in_use: numbers that are given and not forgotten
 * @entries: how many entries have these
 * @used: likewise, in each share
 * @limit: how many may be in use; constant
 * @bits: log2 of the number of chains of each kind; constant
 * @key: of the hash; random, so that no user can make others' entries share a chain; constant
 * @hash: chains of entries by identity
 * @number: chains of entries by number, behind @hash
 */
struct profil_recording {
	raw_spinlock_t lock;	/* see the kernel-doc above */
	bool processes;
	bool single;
	struct pid_namespace *threads;
	unsigned long payer;
	struct mem_cgroup *memcg;
	struct profil_pool pool;
	struct delayed_work fill;
	struct list_head watches;
	struct list_head left;
	struct delayed_work leave;
	unsigned long kernel;
	u32 generation;
	bool modules_ticked;
	struct list_head told;
	struct profil_news *news;
	atomic64_t lives;
	struct profil_user *user;
	unsigned long charged;
	long kept;
	bool ended;
	u32 forgets;
	u32 nr;
	u32 in_use;
	u32 entries;
	u32 used[1 + (1 << PROFIL_SHARE_BITS)];
	u32 limit;
	unsigned int bits;
	siphash_key_t key;
	struct hlist_head *hash;
	struct hlist_head *number;
};

/* The recordings that are told of modules; the lock also guards what they know of modules. */
extern struct mutex profil_told_lock;
extern struct list_head profil_told;

/* The share of the numbers in which a payer's count. */
static inline u32 profil_recording_share(const struct profil_recording *recording,
					 unsigned long payer)
{
	if (!recording->payer || !payer || payer == recording->payer)
		return 0;
	/* Hashed with a secret, so that no user can choose to share another's. */
	return 1 + (siphash_1u64(payer, &recording->key) >> (64 - PROFIL_SHARE_BITS));
}

/**
 * profil_recording_left() - how many numbers are left
 * @recording: the recording
 * @payer: profil_payer() of the task for which numbers are given; 0: of no user's
 *
 * A share with a bound never has more than are left for all.  So whatever one user's programs do,
 * others' still get numbers, and a user who is alone gets half.  However many users there are, an
 * eighth is kept for the recording's own user, and for what belongs to no user.
 *
 * Context: Any.
 * Return: how many; an owner needs PROFIL_OWNER_NUMBERS.
 */
static inline u32 profil_recording_left(const struct profil_recording *recording,
					unsigned long payer)
{
	u32 left = recording->limit - READ_ONCE(recording->in_use);
	u32 share = profil_recording_share(recording, payer);
	u32 kept = recording->limit / PROFIL_NUMBERS_KEPT, used;

	if (!share)
		return left;
	left -= min(left, kept - min(kept, READ_ONCE(recording->used[0])));
	used = READ_ONCE(recording->used[share]);
	return used < left ? (left - used) / 2 : 0;
}

/**
 * profil_recording_lacks_owner() - was there no memory for an owner?
 * @recording: the recording
 * @owned: the owner of a process
 * @payer: profil_payer() of that process
 *
 * Context: Any.
 * Return: true if that is PROFIL_NOBODY, although there are numbers for an owner.
 */
static inline bool profil_recording_lacks_owner(const struct profil_recording *recording,
						struct profil_owned owned,
						unsigned long payer)
{
	return owned.owner == PROFIL_NOBODY.owner &&
	       profil_recording_left(recording, payer) >= PROFIL_OWNER_NUMBERS;
}

void profil_recording_free(struct profil_recording *recording);
void profil_recording_leave(struct profil_recording *recording);
struct profil_entry *profil_recording_numbered(struct profil_recording *recording, u32 number);
struct profil_entry *profil_recording_find_locked(struct profil_recording *recording,
						  const struct profil_entry *like,
						  struct profil_pool *pool, unsigned long payer);
u32 profil_recording_find(struct profil_recording *recording, const struct profil_entry *like,
			  struct profil_pool *pool, unsigned long payer);
void profil_recording_identify(struct profil_identity *same, const struct file *file);
bool profil_recording_get(struct profil_recording *recording, u32 number,
			  struct profil_entry *copy, u32 *numbers, u32 *in_use);
struct file *profil_recording_release(struct profil_recording *recording, u32 number);
int profil_recording_forget(struct profil_recording *recording, u32 number);

/* kept.c */
void profil_recording_charge(struct profil_recording *recording);
int profil_recording_keep(struct profil_recording *recording);
void profil_recording_drain(struct profil_recording *recording);
void profil_recording_end(struct profil_recording *recording);

/*
 * System-wide recordings.
 */

/* Each tick and probe looks at all of them.  The first are for users without CAP_PERFMON. */
#define PROFIL_EVERYBODY_MAX	6
#define PROFIL_EVERYBODY_USERS	2

extern struct profil_profile *profil_everybody[PROFIL_EVERYBODY_MAX];

/**
 * profil_everybody_next() - the next system-wide recording, except those in @met
 * @met: profil_everybody_bit() of the recordings to skip; the one that is returned is added
 *
 * Context: Any; under RCU, which keeps the profile.
 * Return: its profile, or NULL if there is no other.
 */
static inline struct profil_profile *profil_everybody_next(u32 *met)
{
	struct profil_profile *profile;
	unsigned int i;

	for (i = 0; i < PROFIL_EVERYBODY_MAX; i++) {
		profile = READ_ONCE(profil_everybody[i]);
		if (!profile || *met & BIT(i))
			continue;
		*met |= BIT(i);
		return profile;
	}
	return NULL;
}

/**
 * profil_everybody_bit() - the bit of a system-wide recording, for profil_everybody_next()
 * @profile: a profile
 *
 * Watches may still lead to a recording that has ended, while its bit is another's.
 *
 * Context: Any; under RCU, as for profil_everybody_next().
 * Return: the bit; 0 if it is not a system-wide recording, or has ended.
 */
static inline u32 profil_everybody_bit(const struct profil_profile *profile)
{
	u32 bit = profile->everybody;

	return bit && READ_ONCE(profil_everybody[__ffs(bit)]) == profile ? bit : 0;
}

int profil_everybody_begin(struct profil_profile *profile);
void profil_everybody_end(struct profil_profile *profile);

#endif /* PROFIL_RECORDING_H */
