/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How often a profile may tick, and on which CPUs.
 *
 * Context: any
 */
#ifndef PROFIL_RATES_H
#define PROFIL_RATES_H

#include <linux/time64.h>
#include <linux/types.h>

/* perf's hrtimer does not go below 10 us. */
#define PROFIL_CLOCK_MIN	10000
#define PROFIL_CLOCK_MAX	(3600ULL * NSEC_PER_SEC)

/* The clock in use, of &enum profil_clock; constant once the module is loaded. */
extern u32 profil_clock_number;

u64 profil_period_min(bool privileged);
bool profil_clock_wants_cpu(unsigned int cpu);

#endif /* PROFIL_RATES_H */
