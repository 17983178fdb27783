/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tick of the lazy clock, and what arms it.
 *
 * Context: hard interrupt
 */
#ifndef PROFIL_TICK_LAZY_H
#define PROFIL_TICK_LAZY_H

#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include <linux/siphash.h>
#include <linux/types.h>

struct task_struct;

/**
 * struct profil_lazy_clock - the clock of one CPU
 * @timer: fires at the point of @cell, if @armed
 * @period: length of a cell, in ns; 0: stopped
 * @cell: where the current cell begins, in ns of CLOCK_MONOTONIC
 * @left: cells for which @secret is still used, @cell included
 * @secret: pseudo-random, of this CPU and a group of cells
 * @interrupt: the interrupt in which the timer last ran, as the kernel counts them on this CPU
 * @armed: the timer is queued
 */
struct profil_lazy_clock {
	struct hrtimer timer;
	u64 period;
	u64 cell;
	u64 left;
	u64 secret;
	unsigned int interrupt;
	bool armed;
};

DECLARE_PER_CPU_ALIGNED(struct profil_lazy_clock, profil_lazy_clocks);

/* Random, so that no program can predict points. */
extern siphash_key_t profil_lazy_key;

enum hrtimer_restart profil_lazy_tick(struct hrtimer *timer);
void profil_lazy_switch(void *unused, bool preempt, struct task_struct *prev,
			struct task_struct *next, unsigned int prev_state);
void profil_lazy_look(void *unused);
void profil_lazy_begin(void *period);

#endif /* PROFIL_TICK_LAZY_H */
