/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tick of the clock that rests on perf.
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
 * When the tick before was due on a CPU, in ns of CLOCK_MONOTONIC; 0: there was
 * none.  Used by the tick alone once the CPU ticks.
 */
DECLARE_PER_CPU(u64, profil_perf_last);

void profil_perf_tick(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs);

#endif /* PROFIL_TICK_PERF_H */
