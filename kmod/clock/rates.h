/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How often a profile may tick.
 *
 * Context: process
 */
#ifndef PROFIL_RATES_H
#define PROFIL_RATES_H

#include <linux/types.h>

u64 profil_period_min(bool privileged);

#endif /* PROFIL_RATES_H */
