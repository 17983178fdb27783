/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The recordings of everybody.
 *
 * Context: any
 */
#ifndef PROFIL_EVERYBODY_H
#define PROFIL_EVERYBODY_H

#include "profile/profile.h"

#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/types.h>

/* Each tick and probe looks at all.  The first ones are for users without CAP_PERFMON. */
#define PROFIL_EVERYBODY_MAX	6
#define PROFIL_EVERYBODY_USERS	2

extern struct profil_profile *profil_everybody[PROFIL_EVERYBODY_MAX];

/**
 * profil_everybody_next() - a recording of everybody that something is not in yet
 * @met: profil_everybody_bit() of those that it is in; the one that is returned is added
 *
 * Context: Any; under RCU, which keeps the profile and, unless it ends, its follower.
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
 * profil_everybody_bit() - the bit of a recording of everybody, for profil_everybody_next()
 * @profile: a profile
 *
 * One that has ended, and that watches still lead to, has given its bit to the next one.
 *
 * Context: Any; under RCU, as for profil_everybody_next().
 * Return: the bit; 0 if it is not a recording of everybody, or has ended.
 */
static inline u32 profil_everybody_bit(const struct profil_profile *profile)
{
	u32 bit = profile->everybody;

	return bit && READ_ONCE(profil_everybody[__ffs(bit)]) == profile ? bit : 0;
}

int profil_everybody_begin(struct profil_profile *profile);
void profil_everybody_end(struct profil_profile *profile);

#endif /* PROFIL_EVERYBODY_H */
