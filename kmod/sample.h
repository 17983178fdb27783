/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_SAMPLE_H
#define PROFIL_SAMPLE_H

#include <linux/percpu.h>
#include <linux/types.h>

struct pt_regs;

DECLARE_PER_CPU(u64, profil_exiting_ns);

bool profil_tick(struct pt_regs *regs, u64 period);
void profil_late(u64 period, u64 since, u64 due);

#endif /* PROFIL_SAMPLE_H */
