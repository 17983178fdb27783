/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Self profiles: pages that are pinned only for as long as they are mapped as they were.
 *
 * Context: process
 */
#ifndef PROFIL_RECHECK_H
#define PROFIL_RECHECK_H

#include "memory/layout.h"

struct profil_pins;

static inline bool profil_pins_is_gate(const struct profil_layout *layout, unsigned long index)
{
	return layout->how.gate && index == layout->gate >> PAGE_SHIFT;
}

int profil_pins_recheck(struct profil_pins *pins);
void profil_pins_forget(struct profil_pins *pins);

#endif /* PROFIL_RECHECK_H */
