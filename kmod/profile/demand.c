// SPDX-License-Identifier: GPL-2.0-only
/*
 * PROFIL_PIN_LATE: pages that are pinned when a tick needs them.
 *
 * The classic kernels look at a counter when it is to change: whatever is mapped
 * there then is counted in, and only a tick that meets a hole turns profiling off.
 * A tick here that finds no pinned page is deferred (tick/defer.c).  The thread that
 * had it pins the page on its way to user mode, counts, and leaves the page pinned
 * for the ticks to come.  A limit that leaves no room for that costs time, not ticks.
 *
 * A page is faulted in without any lock of ours: the thread may wait there for its
 * own file system, as for any page that it touches.
 *
 * Context: process
 */
#include "profile/demand.h"

#include "profile/deferral.h"
#include "profile/layout.h"
#include "profile/pages.h"
#include "profile/pins.h"
#include "profile/profile.h"
#include "profile/span.h"
#include "tick/defer.h"

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

/*
 * The holder of the profile's lock may be waiting for memory, perhaps for ours, so only
 * try to take it: if that fails, a later tick tries again.  Return: true if the page is
 * among the pins now.
 */
static bool profil_demand_keep(struct profil_profile *profile, unsigned long index,
			       struct page *page)
{
	struct profil_demand *demand = profile->demand;
	struct mm_struct *mm = current->mm;
	struct profil_pins *pins;
	bool kept = false;

	/* A charge takes mmap_lock, and a refusal may be audited: not for each tick. */
	if (time_before(jiffies, READ_ONCE(demand->no_room)))
		return false;
	if (profil_pins_charge(mm, profile->user, 1, 0)) {
		WRITE_ONCE(demand->no_room, jiffies + HZ);
		return false;
	}
	if (mutex_trylock(&profile->lock)) {
		pins = profil_profile_pins(profile);
		kept = pins && !pins->page[index];
		if (kept) {
			WRITE_ONCE(pins->page[index], page_address(page));
			pins->held++;
		}
		mutex_unlock(&profile->lock);
	}
	if (!kept)
		profil_pins_discharge(mm, profile->user, 1, 0);
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
static bool profil_demand_settle(struct profil_deferral *deferral, struct page *page, bool hole)
{
	struct profil_profile *profile = deferral->profile;
	struct profil_demand *demand = profile->demand;
	const struct profil_pins *pins;
	unsigned long flags;
	bool more;

	raw_spin_lock_irqsave(&demand->lock, flags);
	pins = rcu_dereference_protected(profile->pins, lockdep_is_held(&demand->lock));
	more = profil_defer_settle(deferral, pins, page ? page_address(page) : NULL, hole);
	raw_spin_unlock_irqrestore(&demand->lock, flags);
	return more;
}

/* Runs in the thread that had the tick, or in its exit, where it has no mm any more. */
static void profil_demand_work(struct callback_head *work)
{
	struct profil_deferral *deferral = container_of(work, struct profil_deferral, work);
	unsigned long index = deferral->place.position >> PAGE_SHIFT;
	struct profil_profile *profile = deferral->profile;
	struct page *page = NULL;
	int err = -ENOENT;

	if (profil_demand_wanted(deferral))
		err = profil_page_pin(profil_demand_address(profile->demand->layout, index), &page);
	/* The last one frees the deferral for ticks to come. */
	while (profil_demand_settle(deferral, err ? NULL : page, err == -EFAULT))
		cond_resched();
	if (!err && !profil_demand_keep(profile, index, page))
		unpin_user_pages_dirty_lock(&page, 1, true);
	profil_profile_put(profile);
}

/**
 * profil_demand_init() - prepare a profile for ticks without a page
 * @profile: not yet published, with pins; no effect without PROFIL_PIN_LATE
 *
 * Context: Process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int profil_demand_init(struct profil_profile *profile)
{
	const struct profil_pins *pins = rcu_dereference_protected(profile->pins, true);
	struct profil_demand *demand;
	unsigned int i;

	if (!(profile->flags & PROFIL_PIN_LATE))
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
 * profil_demand_unpublish() - take a profile's pins from ticks and deferred ticks
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

static bool profil_demand_is_gate(const struct profil_layout *layout, unsigned long index)
{
	return layout->how.gate && index == layout->gate >> PAGE_SHIFT;
}

static void profil_demand_unpin(struct profil_pins *pins, struct page **pages, unsigned int nr)
{
	profil_pins_sync(pins);
	unpin_user_pages_dirty_lock(pages, nr, true);
	profil_pins_uncharge(pins, nr);
}

static void profil_demand_forget(struct profil_pins *pins, unsigned long index)
{
	struct page *page = virt_to_page(pins->page[index]);

	WRITE_ONCE(pins->page[index], NULL);
	profil_demand_unpin(pins, &page, 1);
}

/*
 * The look without a lock may fail by chance, and a profile does not outlive its gate.
 * Only if the gate cannot be written any more is its page forgotten.
 */
static void profil_demand_check_gate(struct profil_pins *pins, unsigned long start)
{
	unsigned long index = pins->layout->gate >> PAGE_SHIFT;
	struct page *page, *before = virt_to_page(pins->page[index]);
	int err = profil_page_pin(start, &page);

	if (err == -EFAULT)
		profil_demand_forget(pins, index);
	if (err)
		return;
	if (page != before) {
		WRITE_ONCE(pins->page[index], page_address(page));
		profil_pins_sync(pins);
		page = before;
	}
	unpin_user_pages_dirty_lock(&page, 1, true);
}

/* The page at this index is pinned. */
static void profil_demand_check_page(struct profil_pins *pins, const struct profil_span *page)
{
	if (profil_span_same(pins, page))
		return;
	if (profil_demand_is_gate(pins->layout, page->first))
		profil_demand_check_gate(pins, page->start);
	else
		profil_demand_forget(pins, page->first);
}

/**
 * profil_demand_check() - unpin pages that are no longer mapped as they were
 * @pins: of current's memory, with PROFIL_PIN_LATE
 *
 * The next tick that needs such a page looks at what is there now.
 *
 * Context: Process context, under the profile's lock.
 */
void profil_demand_check(struct profil_pins *pins)
{
	struct profil_span one = { .pages = 1 };
	unsigned long i;
	unsigned int s;

	for (s = 0; s < pins->layout->nr_spans; s++) {
		const struct profil_span *span = &pins->layout->spans[s];

		for (i = 0; i < span->pages; i++) {
			one.start = span->start + (i << PAGE_SHIFT);
			one.first = span->first + i;
			if (pins->page[one.first])
				profil_demand_check_page(pins, &one);
			if (i % STRIDE == 0)
				cond_resched();
		}
	}
}

/**
 * profil_demand_forget_all() - make room: unpin all pages but the gate's
 * @pins: with PROFIL_PIN_LATE, their profile's lock is held
 *
 * Ticks that need them pin them again.
 *
 * Context: Process context of the pins' owner.
 */
void profil_demand_forget_all(struct profil_pins *pins)
{
	const struct profil_layout *layout = pins->layout;
	struct page *pages[BATCH];
	unsigned long i, end = layout->pages;
	unsigned int n;

	for (i = 0; i < end; ) {
		for (n = 0; n < BATCH && i < end; i++) {
			if (i % STRIDE == 0)
				cond_resched();
			if (!pins->page[i] || profil_demand_is_gate(layout, i))
				continue;
			pages[n++] = virt_to_page(pins->page[i]);
			WRITE_ONCE(pins->page[i], NULL);
		}
		if (n)
			profil_demand_unpin(pins, pages, n);
	}
}
