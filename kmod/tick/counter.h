/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Adding to a counter that a hostile program may write at the same time.
 *
 * Context: hard interrupt; also process context with interrupts off
 */
#ifndef PROFIL_COUNTER_H
#define PROFIL_COUNTER_H

#include "memory/layout.h"
#include "profile/profile.h"

#include <linux/minmax.h>
#include <linux/processor.h>

struct profil_pins;
struct profil_profile;

/*
 * A window for tests: the time from when a tick reads pins or bindings until it counts in
 * them.
 *
 * It is a few instructions, too short for any test to hit.  So a module that replaced or
 * unpinned pins without waiting for ticks would pass all tests.  `scripts/build/kmod
 * --window` builds a module in which the window is long enough; in any other the window is
 * empty.
 */

#ifdef PROFIL_TEST_WINDOW

/*
 * A number of loops, not a time: if the host takes the CPU away, the test has all the more time.
 * The loops take a few milliseconds, more than a system call takes on an emulated CPU.
 */
#define PROFIL_WINDOW_LOOPS	40000

static inline void profil_window(void)
{
	unsigned int i;

	for (i = 0; i < PROFIL_WINDOW_LOOPS; i++)
		cpu_relax();
}

#else

static __always_inline void profil_window(void)
{
}

#endif

/* Other threads can win every race; an interrupt must not spin for them. */
#define PROFIL_COUNTER_TRIES	8

#define PROFIL_COUNTER_BELOW(type, counter, limit, ticks) ({			\
	enum profil_cause __cause = PROFIL_CONTENDED;				\
	type *__counter = (counter);						\
	type __old = READ_ONCE(*__counter);					\
	u64 *__ticks = (ticks), __limit = (limit), __fit;			\
	unsigned int __try;							\
										\
	for (__try = 0; __try < PROFIL_COUNTER_TRIES; __try++) {		\
		if (__old >= __limit) {						\
			__cause = PROFIL_SATURATED;				\
			break;							\
		}								\
		__fit = min_t(u64, *__ticks, __limit - __old);			\
		if (try_cmpxchg(__counter, &__old, (type)(__old + __fit))) {	\
			*__ticks = __fit;					\
			__cause = PROFIL_COUNTED;				\
			break;							\
		}								\
	}									\
	__cause;								\
})

/* Add *@ticks, up to the limit.  If any fit, *@ticks receives the number that did. */
static __always_inline enum profil_cause profil_counter_limit(const struct profil_layout *layout,
							      void *counter, u32 width, u64 *ticks)
{
	if (width == 8)
		return PROFIL_COUNTER_BELOW(u64, counter, layout->limit[3], ticks);
	if (width == 4)
		return PROFIL_COUNTER_BELOW(u32, counter, layout->limit[2], ticks);
	return PROFIL_COUNTER_BELOW(u16, counter, layout->limit[1], ticks);
}

/* Add @ticks.  After its maximum, the counter goes on at 0. */
static __always_inline enum profil_cause profil_counter_wrap(void *counter, u32 width, u64 ticks)
{
	switch (width) {
	case 2:
		return profil_add16(counter, ticks, PROFIL_COUNTER_TRIES) ? PROFIL_COUNTED :
									    PROFIL_CONTENDED;
	case 4:
		atomic_add(ticks, (atomic_t *)counter);
		return PROFIL_COUNTED;
	default:
		atomic64_add(ticks, (atomic64_t *)counter);
		return PROFIL_COUNTED;
	}
}

/**
 * profil_counter_add() - add ticks as the profile's policy requires
 * @layout: the profile's layout
 * @counter: in a pinned page
 * @width: size of the counter, in bytes
 * @ticks: number of ticks; receives the number that had the outcome
 *
 * Context: Interrupts off.
 * Return: the outcome of the ticks.  After PROFIL_SATURATED, the caller may have to stop the
 * profile.
 */
static __always_inline enum profil_cause profil_counter_add(const struct profil_layout *layout,
							    void *counter, u32 width, u64 *ticks)
{
	if (layout->how.limit_policy == PROFIL_WRAP)
		return profil_counter_wrap(counter, width, *ticks);
	return profil_counter_limit(layout, counter, width, ticks);
}

/*
 * Counting ticks, once their place is known: in the pinned page, or when their thread returns to
 * user mode.
 */

enum profil_cause profil_count_store(struct profil_profile *profile,
				     const struct profil_pins *pins, u64 pc,
				     const struct profil_deferral *deferral);
enum profil_cause profil_count_at(struct profil_profile *profile, const struct profil_pins *pins,
				  const struct profil_place *place,
				  const struct profil_deferral *deferral, u64 *ticks);

enum profil_cause profil_defer(struct profil_profile *profile, const struct profil_place *place,
			       u64 ticks);
bool profil_defer_runs(const struct profil_deferral *deferral, const struct profil_pins *pins);
bool profil_defer_settle(struct profil_deferral *deferral, bool hole);

#endif /* PROFIL_COUNTER_H */
