/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The owner of the ticks of a binding or a watch in a recording.
 *
 * Context: any
 */
#ifndef PROFIL_OWNED_H
#define PROFIL_OWNED_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/types.h>

/**
 * struct profil_owned - an owner
 * @owner: its number; 0: of no recording, or not known
 *
 * Its cells for the texts that every recording has are the next numbers.
 */
struct profil_owned {
	u32 owner;
};

/* The cell of its ticks in kernel mode. */
static inline u32 profil_owned_kernel(struct profil_owned owned)
{
	return owned.owner + 1;
}

/* The cell of its ticks whose text is not known. */
static inline u32 profil_owned_unknown(struct profil_owned owned)
{
	return owned.owner + 2;
}

/* The cell of its threads. */
static inline u32 profil_owned_threads(struct profil_owned owned)
{
	return owned.owner + 3;
}

/**
 * profil_owned_read() - read an owner that may be changed at the same time
 * @owned: the owner
 *
 * Context: Any.
 * Return: a copy.
 */
static inline struct profil_owned profil_owned_read(const struct profil_owned *owned)
{
	return (struct profil_owned){ .owner = READ_ONCE(owned->owner) };
}

/**
 * profil_owned_write() - change an owner that ticks may read at the same time
 * @owned: the owner
 * @to: what it becomes
 *
 * Context: Any.
 */
static inline void profil_owned_write(struct profil_owned *owned, struct profil_owned to)
{
	WRITE_ONCE(owned->owner, to.owner);
}

/* The number of recordings; a system-wide one counts this much more. */
#define PROFIL_EVERYBODY_SHIFT	32
#define PROFIL_EVERYBODY	BIT_ULL(PROFIL_EVERYBODY_SHIFT)
extern atomic64_t profil_recordings;

static inline bool profil_recordings_exist(void)
{
	return atomic64_read(&profil_recordings);
}

static inline bool profil_everybody_exist(void)
{
	return atomic64_read(&profil_recordings) >> PROFIL_EVERYBODY_SHIFT;
}

/* System-wide recordings that count ticks of kernel threads. */
extern atomic_t profil_threads;

static inline bool profil_threads_count(void)
{
	return atomic_read(&profil_threads);
}

/**
 * profil_everybody_met() - are these all system-wide recordings?
 * @met: their &profil_profile.everybody
 *
 * Mostly there is at most one, so the table need not be searched.
 *
 * Context: Any.
 * Return: true if so; false if that is not known.
 */
static inline bool profil_everybody_met(u32 met)
{
	return atomic64_read(&profil_recordings) >> PROFIL_EVERYBODY_SHIFT <= !!met;
}

#endif /* PROFIL_OWNED_H */
