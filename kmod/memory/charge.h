/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Charging pages that are pinned, and giving them back.
 *
 * Context: process
 */
#ifndef PROFIL_CHARGE_H
#define PROFIL_CHARGE_H

#include <linux/types.h>

struct profil_pins;

void profil_charge_init(struct profil_pins *pins);
int profil_charge_locked(struct profil_pins *pins, unsigned long pages);
int profil_charge_pages(struct profil_pins *pins, unsigned long pages);
void profil_charge_return(struct profil_pins *pins, unsigned long pages);
void profil_pins_put(struct profil_pins *pins);

#endif /* PROFIL_CHARGE_H */
