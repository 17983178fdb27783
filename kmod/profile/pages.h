/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pinning, charging, rechecking and unpinning the pages of the counters.
 *
 * Context: process
 */
#ifndef PROFIL_PAGES_H
#define PROFIL_PAGES_H

#include <linux/types.h>

struct mm_struct;
struct profil_layout;
struct profil_pins;
struct profil_user;

struct profil_pins *profil_pins_create(struct profil_layout *layout, struct profil_user *user,
				       const struct profil_pins *old, bool inherited);
void profil_pins_share(struct profil_pins *pins, const struct profil_pins *old);
void profil_pins_take_over(struct profil_pins *pins, struct profil_pins *old);
int profil_pins_charge(struct mm_struct *mm, struct profil_user *user, unsigned long pages,
		       unsigned long overhead);
void profil_pins_discharge(struct mm_struct *mm, struct profil_user *user, unsigned long pages,
			   unsigned long overhead);
bool profil_pins_uncharge(struct profil_pins *pins, unsigned long pages);
int profil_pins_check(struct profil_pins *pins);
void profil_pins_release(struct profil_pins *pins);

#endif /* PROFIL_PAGES_H */
