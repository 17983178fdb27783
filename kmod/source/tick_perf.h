/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tick of the perf clock.
 *
 * Context: hard interrupt
 */
#ifndef PROFIL_TICK_PERF_H
#define PROFIL_TICK_PERF_H

#include <linux/percpu.h>
#include <linux/types.h>

struct perf_event;
struct perf_sample_data;
struct pt_regs;

/*
 * When a CPU's previous tick was due, in ns of CLOCK_MONOTONIC; 0: there was
 * none.  Once the CPU ticks, only the tick uses it.
 */
DECLARE_PER_CPU(u64, profil_perf_last);

void profil_perf_tick(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs);

#endif /* PROFIL_TICK_PERF_H */
