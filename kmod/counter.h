/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Incrementing a counter that a hostile program writes at the same time.
 */
#ifndef PROFIL_COUNTER_H
#define PROFIL_COUNTER_H

#include "stats.h"

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/types.h>

/* Other threads can win every race; an interrupt must not wait for them. */
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

/* There is no generic 16-bit atomic add. */
static __always_inline enum profil_cause profil_counter_wrap16(u16 *counter)
{
#ifdef CONFIG_X86
	xadd(counter, 1);
	return PROFIL_COUNTED;
#else
	unsigned int try;
	u16 old = READ_ONCE(*counter);

	for (try = 0; try < PROFIL_COUNTER_TRIES; try++)
		if (try_cmpxchg(counter, &old, (u16)(old + 1)))
			return PROFIL_COUNTED;
	return PROFIL_CONTENDED;
#endif
}

/* Add 1, and go on at 0. */
static __always_inline enum profil_cause profil_counter_wrap(void *counter, u32 width)
{
	switch (width) {
	case 2:
		return profil_counter_wrap16(counter);
	case 4:
		atomic_inc((atomic_t *)counter);
		return PROFIL_COUNTED;
	default:
		atomic64_inc((atomic64_t *)counter);
		return PROFIL_COUNTED;
	}
}

#endif /* PROFIL_COUNTER_H */
