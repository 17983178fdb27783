/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock: one for all profiles, ticking on every CPU.
 *
 * Context: any
 */
#ifndef PROFIL_CLOCK_H
#define PROFIL_CLOCK_H

#include <linux/list.h>
#include <linux/time64.h>
#include <linux/types.h>

struct cpumask;

/* For inter-processor calls: see @look below. */
typedef void (*profil_clock_look_t)(void *unused);

/* perf's hrtimer does not go below 10 us. */
#define PROFIL_CLOCK_MIN	10000
#define PROFIL_CLOCK_MAX	(3600ULL * NSEC_PER_SEC)

/**
 * struct profil_clock_user - one profile's claim on the clock
 * @link: among all users; guarded by the clock's lock, empty when off
 * @period: the longest period that serves it, in ns
 */
struct profil_clock_user {
	struct list_head link;
	u64 period;
};

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

int profil_clock_init(const struct profil_clock_ops *ops, u32 number);
void profil_clock_exit(void);
int profil_clock_get(struct profil_clock_user *user, u64 period);
void profil_clock_put(struct profil_clock_user *user);
bool profil_clock_wants_cpu(unsigned int cpu);
bool profil_clock_serves(u32 number);
u64 profil_clock_period(void);
const struct cpumask *profil_clock_ticking(void);
profil_clock_look_t profil_clock_looks(void);
void profil_clock_review(void);

#endif /* PROFIL_CLOCK_H */
