/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tick of an event.
 *
 * Context: hard interrupt; also process context with interrupts off
 */
#ifndef PROFIL_TICK_EVENT_H
#define PROFIL_TICK_EVENT_H

struct perf_event;
struct perf_sample_data;
struct pt_regs;

void profil_event_tick(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs);
void profil_event_tick_init(void);
void profil_event_tick_settle(void);

#endif /* PROFIL_TICK_EVENT_H */
