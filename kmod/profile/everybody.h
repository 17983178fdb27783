/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * System-wide recordings.
 *
 * Context: any
 */
#ifndef PROFIL_EVERYBODY_H
#define PROFIL_EVERYBODY_H

#include "profile/profile.h"

#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/types.h>

/* Each tick and probe looks at all of them.  The first are for users without CAP_PERFMON. */
#define PROFIL_EVERYBODY_MAX	6
#define PROFIL_EVERYBODY_USERS	2

extern struct profil_profile *profil_everybody[PROFIL_EVERYBODY_MAX];

/**
 * profil_everybody_next() - the next system-wide recording, except those in @met
 * @met: profil_everybody_bit() of the recordings to skip; the one that is returned is added
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

#endif /* PROFIL_EVERYBODY_H */
