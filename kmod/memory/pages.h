/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pinning, rechecking and unpinning the pages of the counters.
 *
 * Context: process
 */
#ifndef PROFIL_PAGES_H
#define PROFIL_PAGES_H

#include <linux/types.h>

struct mutex;
struct profil_layout;
struct profil_pins;
struct profil_user;

struct profil_pins *profil_pins_create(struct profil_layout *layout, struct mutex *lock,
				       struct profil_user *user);
int profil_pins_check(struct profil_pins *pins);
void profil_pins_release(struct profil_pins *pins);

#endif /* PROFIL_PAGES_H */
