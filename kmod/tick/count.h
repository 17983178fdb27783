/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counting ticks, once their place in pinned memory is known.
 *
 * Context: hard interrupt
 */
#ifndef PROFIL_COUNT_H
#define PROFIL_COUNT_H

#include "profile/stats.h"

#include <linux/types.h>

struct profil_pins;
struct profil_profile;

enum profil_cause profil_count_in(struct profil_profile *profile, const struct profil_pins *pins,
				  void *counter, u32 width, u64 *ticks);
enum profil_cause profil_count_store(const struct profil_pins *pins, void *element, u64 pc);

#endif /* PROFIL_COUNT_H */
