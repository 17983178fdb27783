/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The perf clock: a perf event on each CPU.
 *
 * Context: process
 */
#ifndef PROFIL_CLOCK_PERF_H
#define PROFIL_CLOCK_PERF_H

struct profil_clock_ops;

extern const struct profil_clock_ops profil_clock_perf;

#endif /* PROFIL_CLOCK_PERF_H */
