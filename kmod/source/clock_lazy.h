/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lazy clock: a timer of the module's own on each CPU.
 *
 * Context: process
 */
#ifndef PROFIL_CLOCK_LAZY_H
#define PROFIL_CLOCK_LAZY_H

struct profil_clock_ops;

extern const struct profil_clock_ops profil_clock_lazy;

#endif /* PROFIL_CLOCK_LAZY_H */
