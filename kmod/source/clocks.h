/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The available clocks, and the choice of one.
 *
 * Context: process
 */
#ifndef PROFIL_CLOCKS_H
#define PROFIL_CLOCKS_H

int profil_clocks_init(void);

#endif /* PROFIL_CLOCKS_H */
