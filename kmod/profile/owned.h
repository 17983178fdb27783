/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose ticks a binding or a watch of a recording counts.
 *
 * Context: any
 */
#ifndef PROFIL_OWNED_H
#define PROFIL_OWNED_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/types.h>

/* Numbers of a recording are below it, and fit 16 bits. */
#define PROFIL_NUMBERS	32768

/**
 * struct profil_owned - an owner, and the cells that it needs without asking
 * @owner: its number; 0: of no recording
 * @kernel: number of its cell for ticks in kernel mode
 * @unknown: number of its cell for ticks whose text is not known
 * @unused: 0
 * @word: all of them
 *
 * One word, so that a tick reads it whole while an exec changes it.
 */
struct profil_owned {
	union {
		struct {
			u16 owner;
			u16 kernel;
			u16 unknown;
			u16 unused;
		};
		u64 word;
	};
};

/**
 * profil_owned_read() - read an owner that may change meanwhile
 * @owned: the owner
 *
 * Context: Any.
 * Return: a copy.
 */
static inline struct profil_owned profil_owned_read(const struct profil_owned *owned)
{
	return (struct profil_owned){ .word = READ_ONCE(owned->word) };
}

/**
 * profil_owned_write() - change an owner that ticks may read meanwhile
 * @owned: the owner
 * @to: what it becomes
 *
 * Context: Any.
 */
static inline void profil_owned_write(struct profil_owned *owned, struct profil_owned to)
{
	WRITE_ONCE(owned->word, to.word);
}

/* Recordings that there are; one of everybody counts this much more. */
#define PROFIL_EVERYBODY	BIT(16)
extern atomic_t profil_recordings;

static inline bool profil_recordings_exist(void)
{
	return atomic_read(&profil_recordings);
}

static inline bool profil_everybody_exist(void)
{
	return atomic_read(&profil_recordings) >= (int)PROFIL_EVERYBODY;
}

#endif /* PROFIL_OWNED_H */
