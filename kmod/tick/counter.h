/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Incrementing a counter that a hostile program may write at the same time.
 *
 * Context: hard interrupt
 */
#ifndef PROFIL_COUNTER_H
#define PROFIL_COUNTER_H

#include "profile/stats.h"
#include "tick/arch.h"

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/types.h>

/* Other threads can win every race; an interrupt must not spin for them. */
#define PROFIL_COUNTER_TRIES	8

#define PROFIL_COUNTER_BELOW(type, counter, limit) ({				\
	enum profil_cause __cause = PROFIL_CONTENDED;				\
	type *__counter = (counter);						\
	type __old = READ_ONCE(*__counter);					\
	unsigned int __try;							\
										\
	for (__try = 0; __try < PROFIL_COUNTER_TRIES; __try++) {		\
		if (__old >= (limit)) {						\
			__cause = PROFIL_SATURATED;				\
			break;							\
		}								\
		if (try_cmpxchg(__counter, &__old, (type)(__old + 1))) {	\
			__cause = PROFIL_COUNTED;				\
			break;							\
		}								\
	}									\
	__cause;								\
})

/* Add 1 unless the counter is at its limit. */
static inline enum profil_cause profil_counter_limit(void *counter, u32 width, u64 limit)
{
	switch (width) {
	case 2:
		return PROFIL_COUNTER_BELOW(u16, counter, limit);
	case 4:
		return PROFIL_COUNTER_BELOW(u32, counter, limit);
	default:
		return PROFIL_COUNTER_BELOW(u64, counter, limit);
	}
}

/* Add 1; after the maximum comes 0. */
static __always_inline enum profil_cause profil_counter_wrap(void *counter, u32 width)
{
	switch (width) {
	case 2:
		return profil_inc16(counter, PROFIL_COUNTER_TRIES) ? PROFIL_COUNTED :
								     PROFIL_CONTENDED;
	case 4:
		atomic_inc((atomic_t *)counter);
		return PROFIL_COUNTED;
	default:
		atomic64_inc((atomic64_t *)counter);
		return PROFIL_COUNTED;
	}
}

#endif /* PROFIL_COUNTER_H */
