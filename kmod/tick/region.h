/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A sample of one profile: from a PC to a counter of one of its regions.
 *
 * Context: hard interrupt; also process context with interrupts off
 */
#ifndef PROFIL_REGION_H
#define PROFIL_REGION_H

#include "memory/pins.h"
#include "profile/stats.h"

#include <linux/compiler.h>
#include <linux/types.h>

struct profil_profile;
struct pt_regs;

enum profil_cause profil_sample(struct profil_profile *profile, struct pt_regs *regs, u64 *ticks);

/**
 * profil_page_at() - a page of the counters
 * @pins: theirs
 * @index: which page
 *
 * The program chooses the PC and the scale, so the mask also keeps speculative
 * execution inside the array.
 *
 * Context: Hard interrupt.
 * Return: its address, or NULL if it is not pinned.
 */
static __always_inline void *profil_page_at(const struct profil_pins *pins, u64 index)
{
	return READ_ONCE(pins->page[index & pins->mask]);
}

#endif /* PROFIL_REGION_H */
