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
/* Numbers of an owner: its own, and then those of its cells for each of these texts. */
#define PROFIL_OWNER_NUMBERS	4
/* Owners that every recording has: for unattributed ticks, interrupts and softirqs. */
#define PROFIL_NOBODY		((struct profil_owned) { 4 })
#define PROFIL_IRQ		((struct profil_owned) { 4 + PROFIL_OWNER_NUMBERS })
#define PROFIL_SOFTIRQ		((struct profil_owned) { 4 + 2 * PROFIL_OWNER_NUMBERS })
/* The last number of these texts and owners. */
#define PROFIL_NUMBERS_FIXED	(3 + 3 * PROFIL_OWNER_NUMBERS)
/* The number of generations that a kernel offset can hold; as a generation, 255 means unknown. */
#define PROFIL_GENERATIONS	255
#define PROFIL_GENERATION_SHIFT	32	/* in a kernel offset */
/* The highest number that a key can hold; lower in a module for tests, which use up all numbers. */
#ifdef PROFIL_TEST_WINDOW
#define PROFIL_NUMBERS_MAX	((u32)BIT(8) - 1)
#else
#define PROFIL_NUMBERS_MAX	((u32)(BIT_ULL(64 - PROFIL_COUNT_SHIFT) - 1))
#endif

/* Each user is hashed to a share; share 0 is that of the recording's creator. */
#define PROFIL_SHARE_BITS	6
/* One in this many things is kept for share 0. */
#define PROFIL_SHARES_KEPT	8

/**
 * struct profil_shares - how much of something each user's tasks have taken from a recording
 * @limit: what all may take
 * @sum: what all have taken
 * @used: what each share has taken
 */
struct profil_shares {
	u32 limit;
	u32 sum;
	u32 used[1 + (1 << PROFIL_SHARE_BITS)];
};

/*
 * The number of address spaces whose lookups are cached: one for PROFIL_CACHES_COUNTS elements of
 * the first table, but at least PROFIL_CACHES_MIN.
 */
#ifdef PROFIL_TEST_WINDOW
#define PROFIL_CACHES_MIN	16
#else
#define PROFIL_CACHES_MIN	4096
#endif
#define PROFIL_CACHES_COUNTS	64

/**
 * struct profil_identity - the identity of an entry
 * @kind: &enum profil_kind
 * @generation: FILE: generation of the inode
 * @word: FILE: address of the inode (compared, never dereferenced), device, number, size,
 *	time of change; VDSO: address of its special mapping, size; MEMORY: &struct
 *	profil_binding.life, base; OWNER: text, command name, and the pid of an owner of one
 *	process or the &enum profil_owner_state of a fixed owner; CELL: owner, text;
 *	MODULE: address, bytes, name
 */
struct profil_identity {
	u32 kind;
	u32 generation;
	u64 word[5];
};

/**
 * struct profil_entry - a text, an owner, a cell or a module, and its number
 * @node: in the chain for the hash of @same, except for a MODULE that was unloaded
 * @next: in the chain for the hash of @number
 * @number: from 1; for an OWNER, the first of its PROFIL_OWNER_NUMBERS
 * @parent: OWNER of one process: the owner that forked or executed it; 0: not known;
 *	MODULE: the last generation of its code
 * @state: OWNER: &enum profil_owner_state; MODULE: the first generation of its code
 * @share: the share in @numbers that it counts towards; constant
 * @same: its identity; constant
 * @file: FILE: the file, referenced; NULL once it was released
 * @pid: MEMORY, OWNER of one process: that process, referenced
 * @uid: OWNER of one process: the effective user of the process when the owner began or ended
 * @cgroup: likewise, the ID of the cgroup v2 of the process
 *
 * @parent of a MODULE, @state, @file, @uid and @cgroup change under the recording's lock.
 * An entry is freed when the session drops the recording, or when the reader forgets its number.
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
 * struct profil_recording - the numbers, watches and memory of a recording
 * @lock: guards @nr, @numbers, @caches, @forgets, @hash and @number, and their entries; taking
 *	from @pool, and @taken; @watches and @left.  Raw, because probes take it with preemption off
 * @processes: each process, or with @single each thread, is an owner of its own; constant
 * @single: single threads are recorded, not processes; constant
 * @self: the creator records itself, and gave no proof; constant
 * @threads: the PID namespace of the thread IDs that ticks count for, referenced; NULL: ticks
 *	do not count for threads; constant
 * @payer: profil_payer() of its creator, whose share has no limit; constant
 * @memcg: pays for @pool, and for entries that tasks add, referenced; constant
 * @pool: memory for bindings and watches of children, and for entries
 * @taken: the nodes that were in @pool when it was last filled, and those taken since
 * @fill: fills @pool until @ended is set; tries again later if there was no memory
 * @watches: watches of the processes that it follows
 * @left: watches whose process has ended, which ticks may still find
 * @leave: takes the watches in @left out of the table, and frees them
 * @kernel: the kernel address that counts at offset 0; 0: all ticks in kernel mode count at
 *	offset 0; constant
 * @generation: generation of code in modules, up to PROFIL_GENERATIONS; changed by
 *	record/modules.c only
 * @modules_ticked: there was a tick in a module in this generation; set by ticks, cleared by
 *	record/modules.c
 * @told: links the recording in profil_told; empty if it is not there
 * @news: the wake-up of its session's reader, triggered by each new number; NULL once the session
 *	may end, after the last tick.  Changed under @lock
 * @lives: number of address spaces so far; the next one gets the next number
 * @forgets: number of entries forgotten so far: cached cell numbers older than the last
 *	change may be stale
 * @user: the account that pays for @hash and, when only the numbers are kept, for entries;
 *	referenced; constant
 * @charged: pages that @user pays for @hash; 0 once it is freed
 * @kept: pages that @user pays for entries
 * @ended: ticks no longer count, so modules that come and go do not matter, no process is followed
 *	any more, and nothing is taken from @pool.  Set once, under @lock
 * @nr: the last number that was given out
 * @numbers: those that were given out and not forgotten
 * @entries: number of entries that have these numbers
 * @caches: address spaces that have &profil_binding.hits
 * @bits: log2 of the number of chains in @hash, and in @number; constant
 * @key: key of the hashes; random, so that no user can make others' entries share a chain; constant
 * @hash: chains of entries by identity; NULL once the reader has no use for them
 * @number: chains of entries by number, behind @hash
 */
struct profil_recording {
	raw_spinlock_t lock;	/* see the kernel-doc above */
	bool processes;
	bool single;
	bool self;
	struct pid_namespace *threads;
	unsigned long payer;
	struct mem_cgroup *memcg;
	struct profil_pool pool;
	struct profil_shares taken;
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
	struct profil_shares numbers;
	u32 entries;
	struct profil_shares caches;
	unsigned int bits;
	siphash_key_t key;
	struct hlist_head *hash;
	struct hlist_head *number;
};

/* Recordings that the notifier of modules updates; the lock also guards their data on modules. */
extern struct mutex profil_told_lock;
extern struct list_head profil_told;

/* shares.c */
u32 profil_recording_share(const struct profil_recording *recording, unsigned long payer);
u32 profil_recording_left(const struct profil_recording *recording, unsigned long payer);
void *profil_recording_node(struct profil_recording *recording, u32 share, int keep);
void profil_shares_take(struct profil_shares *shares, u32 share, int change);
bool profil_recording_cache(struct profil_recording *recording, u32 share, int change);

/**
 * profil_recording_lacks_owner() - check whether there was no memory for an owner
 * @recording: the recording
 * @owned: the owner of a process
 * @payer: profil_payer() of that process
 *
 * Context: Any.
 * Return: true if @owned is PROFIL_NOBODY, although there are numbers for an owner.
 */
static inline bool profil_recording_lacks_owner(const struct profil_recording *recording,
						struct profil_owned owned,
						unsigned long payer)
{
	return owned.owner == PROFIL_NOBODY.owner &&
	       profil_recording_left(recording, payer) >= PROFIL_OWNER_NUMBERS;
}

void profil_recording_clear(struct profil_recording *recording);
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

/*
 * Each tick on the slow path and each probe looks at all of them.  The first ones are for users
 * without CAP_PERFMON.
 */
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
 * Watches may still lead to a recording that has ended; another may have its bit by now.
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
