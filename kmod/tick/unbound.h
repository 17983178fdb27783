/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ticks of tasks without a binding: only recordings count these.
 *
 * Context: hard interrupt; also process context with interrupts off
 */
#ifndef PROFIL_UNBOUND_H
#define PROFIL_UNBOUND_H

#include <linux/percpu.h>
#include <linux/types.h>

struct profil_source;
struct pt_regs;

DECLARE_PER_CPU(u64, profil_exiting_ns);

bool profil_tick_unmet(const struct profil_source *source, u32 met, struct pt_regs *regs,
		       u64 period);
bool profil_tick_unbound(const struct profil_source *source, struct pt_regs *regs, u64 period);

#endif /* PROFIL_UNBOUND_H */
