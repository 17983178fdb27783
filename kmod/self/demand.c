// SPDX-License-Identifier: GPL-2.0-only
/*
 * Self profiles: pages that are pinned when a tick needs them.
 *
 * A classic Unix kernel looks up a counter only when it has to increment it: it counts in the
 * page that is mapped at that moment, and only a tick that finds no page turns profiling off.
 * Here, a tick that finds no pinned page is deferred (tick/count.c).  On its way to user mode,
 * the interrupted thread pins the page, counts the tick, and leaves the page pinned for later
 * ticks.  If a limit leaves no room for another pinned page, the page is unpinned again, which
 * costs time but no ticks.  Nor is a private page of hugetlbfs left pinned: a fork would have to
 * copy it at once, and would fail if no huge page was free.
 *
 * A page is faulted in without any lock of ours: the thread may have to wait for its own
 * file system, as for any page that it touches.
 *
 * Context: process
 */
#include "self/self.h"

#include "memory/pins.h"
#include "tick/counter.h"

#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/task_work.h>

/* Return: true if the page stays pinned for the ticks to come. */
static bool profil_demand_keep(struct profil_profile *profile, unsigned long index,
			       struct page *page)
{
	struct profil_pins *pins;
	bool kept = false;

	/* A refusal may be audited, so do not try at each tick. */
	if (time_before(jiffies, READ_ONCE(profile->no_room)))
		return false;
	pins = profil_profile_get_pins(profile);
	if (!pins)
		return false;
	if (profil_charge_pages(pins, 1)) {
		WRITE_ONCE(profile->no_room, jiffies + HZ);
		goto put_pins;
	}
	mutex_lock(pins->lock);
	kept = !pins->gone && !pins->page[index];
	if (kept) {
		WRITE_ONCE(pins->page[index], page_address(page));
		WRITE_ONCE(pins->held, pins->held + 1);
	}
	mutex_unlock(pins->lock);
	if (!kept)
		profil_charge_return(pins, 1);
put_pins:
	profil_pins_put(pins);
	return kept;
}

/*
 * Find the page that a deferral needs.  Return: false if its ticks no longer count: once the
 * program has turned its profile off, its memory must not be touched.
 */
static bool profil_demand_find(const struct profil_deferral *deferral, unsigned long *index,
			       unsigned long *address)
{
	u64 position = deferral->place.position, stored;
	const struct profil_pins *pins;
	unsigned long flags;
	bool wanted;

	local_irq_save(flags);
	profil_section_enter();
	pins = rcu_dereference_sched(deferral->profile->pins);
	/* After an exec the memory belongs to another program. */
	wanted = profil_defer_runs(deferral, pins) && pins->mm == current->mm;
	if (wanted && !deferral->place.width) {
		stored = atomic64_read(&deferral->profile->stored);
		position = profil_layout_sample(pins->layout, stored);
		/* Other ticks may have taken the last element of the array. */
		wanted = stored < pins->layout->how.nr_samples;
	}
	if (wanted) {
		*index = position >> PAGE_SHIFT;
		*address = profil_layout_address(pins->layout, *index);
	}
	profil_section_leave();
	local_irq_restore(flags);
	return wanted;
}

/* Return: true if ticks that need another page are left; otherwise the deferral is free. */
static bool profil_demand_count(struct profil_deferral *deferral)
{
	struct profil_profile *profile = deferral->profile;
	unsigned long index = 0, address;
	struct page *page = NULL;
	bool lent = false, left;
	int err = -ENOENT;

	if (profil_demand_find(deferral, &index, &address))
		err = profil_pages_pin(address, 1, &page, &lent);
	deferral->index = index;
	deferral->page = err ? NULL : page_address(page);
	left = profil_defer_settle(deferral, err == -EFAULT);
	if (lent)
		profil_page_unlend(page);
	else if (!err && !profil_demand_keep(profile, index, page))
		profil_page_unpin(page);
	return left;
}

static void profil_demand_later(struct callback_head *work);

/* Runs in the thread that had the tick; possibly in its exit, when it no longer has an mm. */
static void profil_demand_work(struct callback_head *work)
{
	struct profil_deferral *deferral = container_of(work, struct profil_deferral, work);
	struct profil_profile *profile = deferral->profile;

	init_task_work(work, profil_demand_later);	/* before another tick can reuse it */
	while (profil_demand_count(deferral))
		cond_resched();
	profil_profile_put(profile);
}

static void profil_demand_later(struct callback_head *work)
{
	profil_work_last(work, profil_demand_work);
}

/**
 * profil_demand_init() - prepare a profile for ticks without a page
 * @profile: the profile, not yet published; no effect if it is off
 *
 * Context: Process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int profil_demand_init(struct profil_profile *profile)
{
	unsigned int i;

	if (READ_ONCE(profile->state) != PROFIL_STATE_RUNNING)
		return 0;
	profile->deferral = kcalloc(PROFIL_DEFERRALS, sizeof(*profile->deferral),
				    GFP_KERNEL_ACCOUNT);
	if (!profile->deferral)
		return -ENOMEM;
	profile->hole = U64_MAX;
	profile->no_room = jiffies;
	for (i = 0; i < PROFIL_DEFERRALS; i++) {
		profile->deferral[i].profile = profile;
		init_task_work(&profile->deferral[i].work, profil_demand_later);
	}
	return 0;
}
