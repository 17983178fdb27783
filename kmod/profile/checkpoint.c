// SPDX-License-Identifier: GPL-2.0-only
/*
 * Work that the tick hands over to process context: stop, recheck, sweep.
 *
 * Context: hard interrupt
 */
#include "profile/profile.h"

#include "memory/pins.h"

#include <linux/bitops.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/task_work.h>

#define SWEEP_SOON	DIV_ROUND_UP(HZ, 50)

bool profil_settle_wanted;
struct delayed_work profil_sweep;

static void profil_profile_last_put(struct kref *refs)
{
	queue_rcu_work(profil_wq, &container_of(refs, struct profil_profile, refs)->free);
}

/**
 * profil_profile_put() - drop a reference
 * @profile: freed with the last reference, in process context after a grace period
 *
 * Context: Any, hard interrupt included.
 */
void profil_profile_put(struct profil_profile *profile)
{
	kref_put(&profile->refs, profil_profile_last_put);
}

/**
 * profil_sweep_soon() - schedule the sweep of address spaces that have ended
 *
 * Context: Any, hard interrupt included.
 */
void profil_sweep_soon(void)
{
	/* A pending sweep is not delayed further: exits may come in a storm. */
	queue_delayed_work(profil_wq, &profil_sweep, SWEEP_SOON);
}

static void profil_settle_ask(struct irq_work *work)
{
	WRITE_ONCE(profil_settle_wanted, true);
	profil_sweep_soon();
}

DEFINE_IRQ_WORK(profil_settle_irq, profil_settle_ask);

/**
 * profil_profile_stop() - stop counting, without a command from the owner
 * @profile: a profile; no effect unless it runs
 * @why: its &enum profil_state from now on
 *
 * The profile's claim is given up soon after, in process context.
 *
 * Context: The tick, a section in process context, or under @profile's lock: each keeps the pins
 * from being freed.
 */
void profil_profile_stop(struct profil_profile *profile, u32 why)
{
	struct profil_pins *pins;

	if (cmpxchg(&profile->state, PROFIL_STATE_RUNNING, why) != PROFIL_STATE_RUNNING)
		return;
	pins = rcu_dereference_check(profile->pins,
				     irqs_disabled() || lockdep_is_held(&profile->lock));
	if (pins)
		profil_pins_slow(pins);
	irq_work_queue(&profil_settle_irq);
}

/**
 * profil_profile_checkpoint() - do the work that is not needed at every tick
 * @profile: a profile of current's address space
 * @tally: the tally of this CPU, whose countdown has reached 0
 * @user: the tick has interrupted user mode
 *
 * The memory of a self profile is rechecked by current on its way to user
 * space.  A task in the kernel may take a long time to get there, or never get
 * there; so wait for a tick in user mode.  The table of a recording is its reader's
 * memory.  It is rechecked when the reader asks for the status, so that no
 * recorded task has to wait.
 *
 * Context: Hard interrupt, interrupts off.
 */
void profil_profile_checkpoint(struct profil_profile *profile, struct profil_tally *tally,
			       bool user)
{
	bool self = !profile->session && READ_ONCE(profile->state) == PROFIL_STATE_RUNNING;
	bool due = self && time_after_eq(jiffies, READ_ONCE(profile->next_check));
	u64 ticks = due && !user ? 1 : profile->checkpoint;

	tally->granted += ticks;
	tally->countdown = ticks;
	if (due && user && !test_and_set_bit_lock(0, &profile->checking) &&
	    !profil_profile_add_work(profile, &profile->check))
		clear_bit_unlock(0, &profile->checking);
}
