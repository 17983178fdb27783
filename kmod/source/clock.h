/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock: one for all profiles, ticking on every CPU.
 *
 * Context: any
 */
#ifndef PROFIL_CLOCK_H
#define PROFIL_CLOCK_H

#include <linux/types.h>

struct mm_struct;
struct profil_claim;

/* For inter-processor calls: see @look below. */
typedef void (*profil_clock_look_t)(void *unused);

/**
 * struct profil_clock_ops - a kind of clock
 * @init: once, when the module is loaded; may be NULL
 * @open: called before the first CPU ticks; may be NULL
 * @close: undoes @open when no CPU ticks any more
 * @start: start to tick on an online CPU, every @period ns
 * @set_period: change the period of a CPU that ticks
 * @stop: stop ticking; waits for the tick that runs
 * @look: check whether the task that runs here is profiled by now.  Called on a
 *	CPU that ticks, with interrupts off; NULL if the clock ticks regardless
 *
 * @start, @set_period and @stop run in process context, under cpus_read_lock() or
 * in the CPU's hotplug callback, and under the clock's lock; @open and @close run
 * in process context, under neither.  A tick is counted by the functions of
 * tick/sample.h, in a section.
 */
struct profil_clock_ops {
	int (*init)(void);
	int (*open)(void);
	void (*close)(void);
	int (*start)(unsigned int cpu, u64 period);
	int (*set_period)(unsigned int cpu, u64 period);
	void (*stop)(unsigned int cpu);
	void (*look)(void *unused);
};

int profil_clock_init(const struct profil_clock_ops *ops);
void profil_clock_exit(void);
int profil_clock_get(struct profil_claim *claim, u64 period);
u64 profil_clock_period(void);
void profil_clock_review(void);
void profil_clock_look_here(void);
void profil_clock_look_all(void);
void profil_clock_look(struct mm_struct *mm);

/* clocks.c */
int profil_clocks_init(void);

/* clock_lazy.c */
extern const struct profil_clock_ops profil_clock_lazy;

/* clock_perf.c */
extern const struct profil_clock_ops profil_clock_perf;

#endif /* PROFIL_CLOCK_H */
