/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Removing bindings to address spaces and threads that have ended.
 *
 * Context: process
 */
#ifndef PROFIL_SWEEP_H
#define PROFIL_SWEEP_H

void profil_bindings_sweep(void);

#endif /* PROFIL_SWEEP_H */
