/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tick hands over to process context: stop, recheck, sweep.
 *
 * Context: hard interrupt
 */
#ifndef PROFIL_CHECKPOINT_H
#define PROFIL_CHECKPOINT_H

#include <linux/irq_work.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct profil_profile;
struct profil_tally;

/* A profile has stopped by itself and still has its claim. */
extern bool profil_settle_wanted;
extern struct irq_work profil_settle_irq;
/* Its function is set by life.c. */
extern struct delayed_work profil_sweep;

void profil_profile_stop(struct profil_profile *profile, u32 why);
void profil_profile_checkpoint(struct profil_profile *profile, struct profil_tally *tally,
			       bool user);
void profil_sweep_soon(void);

#endif /* PROFIL_CHECKPOINT_H */
