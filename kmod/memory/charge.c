// SPDX-License-Identifier: GPL-2.0-only
/*
 * Charging pages that are pinned, and giving them back.
 *
 * Pages are charged to three accounts: the user's in this module (limits.c), and, as in
 * io_uring, two for RLIMIT_MEMLOCK: the user's, together with what other parts of the
 * kernel have pinned for that user, and the address space's (VmLck).
 *
 * The address space's account needs mmap_lock, which the memory's owner may hold for as
 * long as its file systems like.  So only the owner waits for it, and without any lock of
 * ours; when another task cannot give pages back at once, they are owed.
 *
 * Context: process
 */
#include "memory/pins.h"

#include "base/limits.h"
#include "base/base.h"

#include <linux/bitmap.h>
#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/slab.h>

/* If mmap_lock was contended, give pages back after this time: at first, and later. */
#define RETRY_AFTER	DIV_ROUND_UP(HZ, 10)
#define RETRY_LATER	(2 * HZ)

/* The user whose RLIMIT_MEMLOCK is charged.  Linux 6.1.176 does not export free_uid(). */
static struct user_struct *profil_locked_user(const struct profil_pins *pins)
{
	return pins->locker ? pins->locker->user : NULL;
}

static int profil_locked_charge(struct user_struct *user, unsigned long pages)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	long before;

	if (!user || !pages)
		return 0;
	before = atomic_long_read(&user->locked_vm);
	do {
		if (before + pages > limit)
			return -ENOMEM;
	} while (!atomic_long_try_cmpxchg(&user->locked_vm, &before, before + pages));
	return 0;
}

static void profil_locked_uncharge(struct user_struct *user, unsigned long pages)
{
	if (user)
		atomic_long_sub(pages, &user->locked_vm);
}

static int profil_mm_charge(const struct profil_pins *pins, unsigned long pages)
{
	struct mm_struct *mm = pins->mm;
	int err;

	if (!pages)
		return 0;
	/* Not mmap_write_lock(): a number changes, no mapping does. */
	err = down_write_killable(&mm->mmap_lock);
	if (err)
		return err;
	err = __account_locked_vm(mm, pages, true, current, !pins->locker);
	up_write(&mm->mmap_lock);
	return err;
}

/* The memory's owner waits for the lock, unless it is killed; other tasks do not. */
static bool profil_mm_uncharge(struct mm_struct *mm, unsigned long pages)
{
	if (!down_write_trylock(&mm->mmap_lock) &&
	    (mm != current->mm || down_write_killable(&mm->mmap_lock)))
		return false;
	__account_locked_vm(mm, pages, false, current, true);
	up_write(&mm->mmap_lock);
	return true;
}

static bool profil_charge_try_return(struct profil_pins *pins, unsigned long pages)
{
	if (!profil_mm_uncharge(pins->mm, pages))
		return false;
	profil_locked_uncharge(profil_locked_user(pins), pages);
	profil_user_uncharge_pages(pins->user, pages);
	return true;
}

static void profil_charge_retry_work(struct work_struct *work)
{
	struct profil_pins *pins = container_of(to_delayed_work(work), struct profil_pins, retry);

	WRITE_ONCE(pins->owed_long, true);
	profil_charge_return(pins, atomic_long_xchg(&pins->owed, 0));
	profil_pins_put(pins);
}

/**
 * profil_charge_init() - prepare pins for charges
 * @pins: of current's memory, not published
 *
 * Context: Process context.
 */
void profil_charge_init(struct profil_pins *pins)
{
	pins->locker = capable(CAP_IPC_LOCK) ? NULL : get_current_cred();
	INIT_DELAYED_WORK(&pins->retry, profil_charge_retry_work);
}

/**
 * profil_charge_locked() - charge pages to RLIMIT_MEMLOCK
 * @pins: of current's memory
 * @pages: going to be pinned, and charged to the user's account already
 *
 * Context: Process context, may sleep.
 * Return: 0; -ENOMEM above RLIMIT_MEMLOCK; -EINTR.
 */
int profil_charge_locked(struct profil_pins *pins, unsigned long pages)
{
	int err = profil_locked_charge(profil_locked_user(pins), pages);

	if (err)
		return err;
	err = profil_mm_charge(pins, pages);
	if (err)
		profil_locked_uncharge(profil_locked_user(pins), pages);
	return err;
}

/**
 * profil_charge_pages() - charge pages to all accounts
 * @pins: of current's memory
 * @pages: going to be pinned
 *
 * Context: Process context, may sleep.
 * Return: as profil_charge_locked(); -EDQUOT.
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
 * Context: Process context, may sleep; the memory's owner must hold no lock of ours.
 */
void profil_charge_return(struct profil_pins *pins, unsigned long pages)
{
	if (!pages || profil_charge_try_return(pins, pages))
		return;
	atomic_long_add(pages, &pins->owed);
	refcount_inc(&pins->refs);
	if (!queue_delayed_work(profil_wq, &pins->retry,
				READ_ONCE(pins->owed_long) ? RETRY_LATER : RETRY_AFTER))
		profil_pins_put(pins);
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
