// SPDX-License-Identifier: GPL-2.0-only
/*
 * Self profiles: pages that are pinned when a tick needs them.
 *
 * A classic Unix kernel looks up a counter when it has to change: it counts in whatever
 * is mapped there then, and only a tick that finds a hole turns profiling off.
 * A tick here that finds no pinned page is deferred (tick/defer.c).  The thread that
 * had it pins the page on its way to user mode, counts, and leaves the page pinned
 * for the ticks to come.  A limit that leaves no room for that costs time, not ticks, and so
 * does a private page of hugetlbfs, which fork cannot copy while it is pinned if no other is free.
 *
 * A page is faulted in without any lock of ours: the thread may wait there for its
 * own file system, as for any page that it touches.
 *
 * Context: process
 */
#include "profile/demand.h"

#include "profile/charge.h"
#include "profile/deferral.h"
#include "profile/layout.h"
#include "profile/pins.h"
#include "profile/present.h"
#include "profile/profile.h"
#include "profile/span.h"
#include "tick/defer.h"
#include "tick/section.h"

#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/profil.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>

/* Pages handled at once; bounds the use of stack. */
#define BATCH	32
/* Elements of the array of pages between two chances to schedule. */
#define STRIDE	1024

/* The spans are in the order of their pages. */
static unsigned long profil_demand_address(const struct profil_layout *layout, unsigned long index)
{
	const struct profil_span *span = layout->spans;
	unsigned int n = layout->nr_spans;

	while (n > 1) {
		unsigned int half = n / 2;

		span = span[half].first <= index ? span + half : span;
		n -= half;
	}
	return span->start + ((index - span->first) << PAGE_SHIFT);
}

static bool profil_demand_is_gate(const struct profil_layout *layout, unsigned long index)
{
	return layout->how.gate && index == layout->gate >> PAGE_SHIFT;
}

/* A gate that has lost its page stays lost.  Return: true if the page is among the pins now. */
static bool profil_demand_enter(struct profil_pins *pins, unsigned long index, struct page *page)
{
	bool kept;

	mutex_lock(pins->lock);
	kept = !pins->gone && !pins->page[index] && !profil_demand_is_gate(pins->layout, index);
	if (kept) {
		WRITE_ONCE(pins->page[index], page_address(page));
		pins->held++;
	}
	mutex_unlock(pins->lock);
	return kept;
}

/* Return: true if the page stays pinned for the ticks to come. */
static bool profil_demand_keep(struct profil_profile *profile, unsigned long index,
			       struct page *page)
{
	struct profil_demand *demand = profile->demand;
	struct profil_pins *pins;
	bool kept = false;

	/* A charge takes mmap_lock, and a refusal may be audited: do not try for each tick. */
	if (time_before(jiffies, READ_ONCE(demand->no_room)))
		return false;
	pins = profil_profile_get_pins(profile);
	if (!pins)
		return false;
	if (profil_charge_pages(pins, 1)) {
		WRITE_ONCE(demand->no_room, jiffies + HZ);
	} else {
		kept = profil_demand_enter(pins, index, page);
		if (!kept)
			profil_charge_return(pins, 1);
	}
	profil_pins_put(pins);
	return kept;
}

/* Once the program has turned its profile off, its memory must not be touched either. */
static bool profil_demand_wanted(const struct profil_deferral *deferral)
{
	struct profil_profile *profile = deferral->profile;
	struct profil_demand *demand = profile->demand;
	const struct profil_pins *pins;
	unsigned long flags;
	bool wanted;

	/* After an exec the memory is another program's. */
	if (!current->mm || current->mm != deferral->mm)
		return false;
	raw_spin_lock_irqsave(&demand->lock, flags);
	pins = rcu_dereference_protected(profile->pins, lockdep_is_held(&demand->lock));
	wanted = profil_defer_runs(deferral, pins);
	raw_spin_unlock_irqrestore(&demand->lock, flags);
	return wanted;
}

/* Interrupts stay off, so that membarrier(2) waits for this as it does for ticks. */
static void profil_demand_settle(struct profil_deferral *deferral, struct page *page, bool hole)
{
	struct profil_profile *profile = deferral->profile;
	struct profil_demand *demand = profile->demand;
	struct profil_pins *pins;
	unsigned long flags;

	raw_spin_lock_irqsave(&demand->lock, flags);
	pins = rcu_dereference_protected(profile->pins, lockdep_is_held(&demand->lock));
	profil_section_enter();
	profil_defer_settle(deferral, pins, page ? page_address(page) : NULL, hole);
	profil_section_leave();
	raw_spin_unlock_irqrestore(&demand->lock, flags);
}

/* Runs in the thread that had the tick, possibly in its exit, when it no longer has an mm. */
static void profil_demand_work(struct callback_head *work)
{
	struct profil_deferral *deferral = container_of(work, struct profil_deferral, work);
	unsigned long index = deferral->place.position >> PAGE_SHIFT;
	struct profil_profile *profile = deferral->profile;
	struct page *page = NULL;
	unsigned long address;
	bool lent = false;
	int err = -ENOENT;

	if (profil_demand_wanted(deferral)) {
		address = profil_demand_address(profile->demand->layout, index);
		err = profil_page_pin(address, &page);
		if (err == -EFAULT) {
			err = profil_page_lend(address, &page);
			lent = !err;
		}
	}
	/* This frees the deferral for ticks to come. */
	profil_demand_settle(deferral, err ? NULL : page, err == -EFAULT);
	if (lent)
		profil_page_unlend(page);
	else if (!err && !profil_demand_keep(profile, index, page))
		unpin_user_pages_dirty_lock(&page, 1, true);
	profil_profile_put(profile);
}

/**
 * profil_demand_init() - prepare a profile for ticks without a page
 * @profile: not yet published, with pins; no effect on a recording
 *
 * Context: Process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int profil_demand_init(struct profil_profile *profile)
{
	const struct profil_pins *pins = rcu_dereference_protected(profile->pins, true);
	struct profil_demand *demand;
	unsigned int i;

	if (profile->recording)
		return 0;
	demand = kzalloc(sizeof(*demand), GFP_KERNEL_ACCOUNT);
	if (!demand)
		return -ENOMEM;
	raw_spin_lock_init(&demand->lock);
	demand->layout = profil_layout_get(pins->layout);
	demand->hole = U64_MAX;
	demand->no_room = jiffies;
	for (i = 0; i < PROFIL_DEFERRALS; i++) {
		demand->deferral[i].profile = profile;
		init_task_work(&demand->deferral[i].work, profil_demand_work);
	}
	profile->demand = demand;
	return 0;
}

/**
 * profil_demand_unpublish() - hide a profile's pins from ticks and deferred ticks
 * @profile: its lock is held, and it has no binding
 *
 * Context: Process context; ticks that run now are waited for by profil_clock_sync().
 */
void profil_demand_unpublish(struct profil_profile *profile)
{
	struct profil_demand *demand = profile->demand;
	unsigned long flags;

	if (!demand) {
		rcu_assign_pointer(profile->pins, NULL);
		return;
	}
	raw_spin_lock_irqsave(&demand->lock, flags);
	rcu_assign_pointer(profile->pins, NULL);
	raw_spin_unlock_irqrestore(&demand->lock, flags);
}

/**
 * profil_demand_stored() - number of PCs in the array
 * @profile: a profile
 *
 * The tick counts attempts; those that found the array full stored nothing.  The last ones may
 * wait for their page.
 *
 * Context: Any; takes the lock of the profile's demand.
 * Return: their number.
 */
u64 profil_demand_stored(struct profil_profile *profile)
{
	struct profil_demand *demand = profile->demand;
	unsigned long flags;
	u64 stored;

	/* It was off when it began, or is a recording. */
	if (!demand)
		return atomic64_read(&profile->stored);
	raw_spin_lock_irqsave(&demand->lock, flags);
	stored = min_t(u64, atomic64_read(&profile->stored), demand->layout->how.nr_samples);
	stored = profil_defer_stored(profile, stored);
	raw_spin_unlock_irqrestore(&demand->lock, flags);
	return stored;
}

/*
 * Take up to BATCH pages out of the pins, but not the gate's: all pages, or those that
 * are no longer mapped as they were.  Return: where to go on in @span.
 */
static unsigned long profil_demand_take(struct profil_pins *pins, const struct profil_span *span,
					unsigned long i, bool all, struct page **pages,
					unsigned int *taken)
{
	unsigned long end = min(span->pages, i + STRIDE);
	struct profil_span one = { .pages = 1 };
	unsigned int n = 0;

	lockdep_assert_held(pins->lock);
	for (; i < end && n < BATCH; i++) {
		one.start = span->start + (i << PAGE_SHIFT);
		one.first = span->first + i;
		if (!pins->page[one.first] || profil_demand_is_gate(pins->layout, one.first))
			continue;
		if (!all && profil_span_same(pins, &one))
			continue;
		pages[n++] = virt_to_page(pins->page[one.first]);
		WRITE_ONCE(pins->page[one.first], NULL);
	}
	if (n)
		profil_pins_sync(pins);
	pins->held -= n;
	*taken = n;
	return i;
}

/* Ticks that need the pages pin them again. */
static void profil_demand_forget_span(struct profil_pins *pins, const struct profil_span *span,
				      bool all)
{
	struct page *pages[BATCH];
	unsigned long i = 0;
	unsigned int n;

	while (i < span->pages) {
		mutex_lock(pins->lock);
		if (pins->gone) {
			mutex_unlock(pins->lock);
			return;
		}
		i = profil_demand_take(pins, span, i, all, pages, &n);
		mutex_unlock(pins->lock);
		unpin_user_pages_dirty_lock(pages, n, true);
		profil_charge_return(pins, n);
		cond_resched();
	}
}

/* Return: the page that the gate's pins no longer need, or NULL. */
static struct page *profil_demand_renew_gate(struct profil_pins *pins, unsigned long index,
					     struct page *page, bool hole)
{
	struct page *before = virt_to_page(pins->page[index]);

	lockdep_assert_held(pins->lock);
	if (hole)
		WRITE_ONCE(pins->page[index], NULL);
	else if (page != before)
		WRITE_ONCE(pins->page[index], page_address(page));
	if (hole || page != before)
		profil_pins_sync(pins);
	return before;
}

/*
 * The look without a lock may fail by chance, and a profile does not outlive its gate.
 * So its page is forgotten only if the gate can no longer be written.
 */
static int profil_demand_check_gate(struct profil_pins *pins)
{
	const struct profil_layout *layout = pins->layout;
	struct profil_span gate = { .pages = 1 };
	struct page *page = NULL;
	int err;

	if (!layout->how.gate)
		return 0;
	gate.start = round_down(layout->how.gate, PAGE_SIZE);
	gate.first = layout->gate >> PAGE_SHIFT;
	if (!READ_ONCE(pins->page[gate.first]) || profil_span_same(pins, &gate))
		return 0;
	err = profil_page_pin(gate.start, &page);
	if (err && err != -EFAULT)
		return err;
	mutex_lock(pins->lock);
	if (!pins->gone)
		page = profil_demand_renew_gate(pins, gate.first, page, err);
	mutex_unlock(pins->lock);
	if (page)
		unpin_user_pages_dirty_lock(&page, 1, true);
	return 0;
}

/**
 * profil_demand_check() - unpin pages that are no longer mapped as they were
 * @pins: of a self profile in current's memory, referenced
 *
 * For the next tick that needs such a page, what is mapped there then is pinned.
 *
 * Context: Process context, may sleep; no other task checks the same pins.
 * Return: 0, -EINTR, -ENOMEM.
 */
int profil_demand_check(struct profil_pins *pins)
{
	unsigned int s;

	for (s = 0; s < pins->layout->nr_spans; s++)
		profil_demand_forget_span(pins, &pins->layout->spans[s], false);
	return profil_demand_check_gate(pins);
}

/**
 * profil_demand_forget_all() - make room: unpin all pages but the gate's
 * @pins: in current's memory, referenced; if they are a table, no tick counts there any more
 *
 * Context: Process context, may sleep.
 */
void profil_demand_forget_all(struct profil_pins *pins)
{
	unsigned int s;

	for (s = 0; s < pins->layout->nr_spans; s++)
		profil_demand_forget_span(pins, &pins->layout->spans[s], true);
}
