// SPDX-License-Identifier: GPL-2.0-only
/*
 * System-wide recordings.
 *
 * When a system-wide recording begins, nothing is done to existing processes: each gets a watch
 * and bindings when it forks, executes a program or has a tick.
 *
 * Context: process
 */
#include "profile/recording.h"

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

struct profil_profile *profil_everybody[PROFIL_EVERYBODY_MAX];
atomic_t profil_threads;

static void profil_everybody_mark_bucket(struct profil_bucket *bucket)
{
	struct profil_binding *binding;
	unsigned long flags, key;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	hlist_for_each_entry(binding, &bucket->chain, node) {
		key = binding->key & ~PROFIL_KEY_MORE;
		if (!profil_everybody_met(profil_everybody_bit(binding->profile)))
			key |= PROFIL_KEY_MORE;
		WRITE_ONCE(binding->key, key);
	}
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
}

/*
 * Set PROFIL_KEY_MORE in the keys of bindings whose address space may be missing from another
 * system-wide recording, and clear it in all others.  A tick takes a fast path, which looks for no
 * other recordings, only if the bindings that it finds lack the flag.  If callers race, the last
 * one leaves all keys correct.
 */
static void profil_everybody_mark(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(profil_bindings); i++) {
		/* Lock even an empty bucket: a task may be adding a binding. */
		profil_everybody_mark_bucket(&profil_bindings[i]);
		cond_resched();
	}
}

static void profil_everybody_uncount(const struct profil_profile *profile)
{
	atomic_sub(!!profile->recording->kernel, &profil_threads);
	atomic64_sub(PROFIL_EVERYBODY, &profil_recordings);
}

/**
 * profil_everybody_begin() - make a recording system-wide
 * @profile: the recording's profile, whose ticks can be counted
 *
 * Context: Process context, may sleep.
 * Return: 0; -EBUSY if there are too many system-wide recordings.
 */
int profil_everybody_begin(struct profil_profile *profile)
{
	unsigned int i = profile->privileged ? PROFIL_EVERYBODY_USERS : 0;
	unsigned int max = profile->privileged ? PROFIL_EVERYBODY_MAX : PROFIL_EVERYBODY_USERS;

	atomic64_add(PROFIL_EVERYBODY, &profil_recordings);
	atomic_add(!!profile->recording->kernel, &profil_threads);
	for (; i < max; i++) {
		profile->everybody = BIT(i);
		if (!cmpxchg(&profil_everybody[i], NULL, profile))
			break;
	}
	if (i == max) {
		profile->everybody = 0;
		profil_everybody_uncount(profile);
	}
	profil_everybody_mark();
	return i == max ? -EBUSY : 0;
}

/**
 * profil_everybody_end() - stop adding processes to a system-wide recording
 * @profile: the recording's profile; no effect on any other profile
 *
 * Code that has already found the profile may use it until the end of an RCU grace period.
 *
 * Context: Process context, may sleep.
 */
void profil_everybody_end(struct profil_profile *profile)
{
	u32 bit = profile->everybody;

	if (!bit || cmpxchg(&profil_everybody[ffs(bit) - 1], profile, NULL) != profile)
		return;
	profil_everybody_uncount(profile);
	profil_everybody_mark();
}
