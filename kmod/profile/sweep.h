/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bindings in which no task can run any more are removed.
 *
 * Context: process
 */
#ifndef PROFIL_SWEEP_H
#define PROFIL_SWEEP_H

void profil_bindings_sweep(void);

#endif /* PROFIL_SWEEP_H */
