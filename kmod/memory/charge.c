// SPDX-License-Identifier: GPL-2.0-only
/*
 * Charging pages that are pinned, and giving them back.
 *
 * Pages are charged to three accounts: the user's in this module (limits.c), and, as in
 * io_uring, two for RLIMIT_MEMLOCK: the user's, together with what other parts of the
 * kernel have pinned for that user, and the address space's (VmPin).  The limit also covers what
 * the program has locked itself, by mlock(2).
 *
 * Context: process
 */
#include "memory/pins.h"

#include "base/limits.h"

#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/slab.h>

/**
 * profil_charge_locked() - charge pages to RLIMIT_MEMLOCK
 * @pins: of current's memory
 * @pages: going to be pinned, and charged to the user's account already
 *
 * Context: Process context.
 * Return: 0; -ENOMEM above RLIMIT_MEMLOCK.
 */
int profil_charge_locked(struct profil_pins *pins, unsigned long pages)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	struct mm_struct *mm = pins->mm;
	struct user_struct *user;
	long before;
	u64 own;

	/* Added before it is compared, so that threads at once do not exceed the limit together. */
	own = atomic64_add_return(pages, &mm->pinned_vm);
	if (!pins->locker || !pages)
		return 0;
	/* What the program has locked itself may change at any time. */
	own += data_race(READ_ONCE(mm->locked_vm));
	user = pins->locker->user;
	before = atomic_long_read(&user->locked_vm);
	do {
		if (before + pages > limit || own > limit) {
			atomic64_sub(pages, &mm->pinned_vm);
			return -ENOMEM;
		}
	} while (!atomic_long_try_cmpxchg(&user->locked_vm, &before, before + pages));
	return 0;
}

/**
 * profil_charge_pages() - charge pages to all accounts
 * @pins: of current's memory
 * @pages: going to be pinned
 *
 * Context: Process context, may sleep.
 * Return: as profil_charge_locked(), -EDQUOT.
 */
int profil_charge_pages(struct profil_pins *pins, unsigned long pages)
{
	int err = profil_user_charge_pages(pins->user, pages);

	if (err)
		return err;
	err = profil_charge_locked(pins, pages);
	if (err)
		profil_user_uncharge_pages(pins->user, pages);
	return err;
}

/**
 * profil_charge_return() - give back the charge for pages that are no longer pinned
 * @pins: theirs
 * @pages: how many
 *
 * Context: Process context, any task.
 */
void profil_charge_return(struct profil_pins *pins, unsigned long pages)
{
	atomic64_sub(pages, &pins->mm->pinned_vm);
	if (pins->locker)
		atomic_long_sub(pages, &pins->locker->user->locked_vm);
	profil_user_uncharge_pages(pins->user, pages);
}

/**
 * profil_pins_put() - drop a reference
 * @pins: freed with the last one; until then their layout holds the module
 *
 * Context: Process context.
 */
void profil_pins_put(struct profil_pins *pins)
{
	if (!refcount_dec_and_test(&pins->refs))
		return;
	put_cred(pins->locker);
	profil_user_put(pins->user);
	mmdrop(pins->mm);
	profil_layout_put_here(pins->layout);
	bitmap_free(pins->holes);
	kvfree(pins);
}
