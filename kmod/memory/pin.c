// SPDX-License-Identifier: GPL-2.0-only
/*
 * What it takes to pin pages of current's memory: they must be of a kind that may hold counters,
 * and somebody has to pay.
 *
 * Which memory is accepted does not depend on the kernel: the mapping of each page is checked, and
 * the page is pinned, under one hold of mmap_lock, so that nothing else can be mapped there in
 * between.  Pages are faulted in without the lock, as that may take as long as a file system
 * likes; pages that are gone again under the lock are faulted in again, a few times.
 *
 * Pages are charged to three accounts: the user's in this module (base/limits.c), and, as in
 * io_uring, two for RLIMIT_MEMLOCK: the user's, together with what other parts of the
 * kernel have pinned for that user, and the address space's (VmPin).  The limit also covers what
 * the program has locked itself, by mlock(2).
 *
 * Context: process
 */
#include "memory/pins.h"

#include "base/limits.h"
#include "compat.h"

#include <linux/hugetlb.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/userfaultfd_k.h>

/* How often to fault in pages that are taken away again. */
#define PIN_TRIES	16
/* The mapping is good, but the page is missing. */
#define MISSING		1

static bool profil_vma_is_of_tmpfs(const struct vm_area_struct *vma)
{
	const struct inode *inode = file_inode(vma->vm_file);

	/* devtmpfs has the same magic, but pages of a device node are a driver's. */
	return inode->i_sb->s_magic == TMPFS_MAGIC && S_ISREG(inode->i_mode);
}

/* A fork copies such a page at once if it is pinned, and fails if no huge page is free. */
static bool profil_vma_is_private_huge(struct vm_area_struct *vma)
{
	return is_vm_hugetlb_page(vma) && !(vma->vm_flags & VM_SHARED);
}

static bool profil_vma_is_countable(struct vm_area_struct *vma)
{
	if (!(vma->vm_flags & VM_WRITE) || (vma->vm_flags & (VM_IO | VM_PFNMAP)))
		return false;
	if (is_vm_hugetlb_page(vma) || !vma->vm_file || !(vma->vm_flags & VM_SHARED))
		return true;
	return profil_vma_is_of_tmpfs(vma);
}

/*
 * May a userfaultfd handler have to provide its pages, or make them writable?  It may never do so,
 * so its pages are only faulted in if that does not block.  No file system can make others wait
 * for such memory.
 */
static bool profil_vma_is_watched(struct vm_area_struct *vma)
{
	return userfaultfd_armed(vma) &&
	       (!vma->vm_file || is_vm_hugetlb_page(vma) || profil_vma_is_of_tmpfs(vma));
}

/*
 * Return: 0; MISSING; -EFAULT if counters may not be there, or a userfaultfd handler would be
 * asked; -ENOMEM, -EINTR.
 */
static int profil_page_pin_present(struct mm_struct *mm, unsigned long at, struct page **page,
				   bool *lent)
{
	struct vm_area_struct *vma = vma_lookup(mm, at);
	bool lends = vma && profil_vma_is_private_huge(vma);
	long got;

	mmap_assert_locked(mm);
	if (!vma || !profil_vma_is_countable(vma) || (lends && !lent))
		return -EFAULT;
	got = profil_pin_user_page(at, page, false);
	if (got == -ENOMEM || got == -EINTR)
		return got;
	if (got != 1 && !profil_vma_is_watched(vma))
		return MISSING;
	if (got != 1 && profil_pin_user_page(at, page, true) != 1)
		return -EFAULT;
	/* The kernel does not unmap a page with a memory error if it is part of a huge one. */
	if (is_page_hwpoison(*page)) {
		unpin_user_page(*page);
		return -EFAULT;
	}
	if (lends)
		*lent = true;
	return 0;
}

/* Pin all pages or none.  Return: likewise. */
static int profil_pages_pin_present(struct mm_struct *mm, unsigned long at, unsigned long nr,
				    struct page **pages, bool *lent)
{
	unsigned long i;
	int err = 0;

	for (i = 0; i < nr; i++) {
		err = profil_page_pin_present(mm, at + (i << PAGE_SHIFT), &pages[i], lent);
		if (err) {
			unpin_user_pages(pages, i);
			pages[0] = NULL;	/* may be one that is not pinned */
			break;
		}
	}
	return err;
}

/*
 * mmap_lock is dropped while waiting for a page, and pages may be gone again on return.
 * Unlike fault_in_safe_writeable(), this distinguishes -ENOMEM, which is no reason to turn
 * a region off, from memory that is not mapped.
 */
static int profil_pages_fault_in(struct mm_struct *mm, unsigned long at, unsigned long nr)
{
	unsigned long end = at + (nr << PAGE_SHIFT);
	struct vm_area_struct *vma;
	bool unlocked = false;
	int err = 0;

	if (mmap_read_lock_killable(mm))
		return -EINTR;
	for (; at < end && !err; at += PAGE_SIZE) {
		vma = vma_lookup(mm, at);
		/* Its handler may never answer: profil_page_pin_present() refuses it. */
		if (vma && profil_vma_is_watched(vma))
			continue;
		err = fixup_user_fault(mm, at, FAULT_FLAG_WRITE, &unlocked);
		if (fatal_signal_pending(current))
			err = -EINTR;
		cond_resched();
	}
	mmap_read_unlock(mm);
	return !err || err == -ENOMEM || err == -EINTR ? err : -EFAULT;
}

/**
 * profil_pages_pin() - pin pages of current's memory
 * @at: address of the first one
 * @nr: how many; few, as all are present at once
 * @pages: receives them; on error the first one is NULL, or as it was
 * @lent: receives true for a private page of hugetlbfs, which must not stay pinned: current's
 *	mmap_lock, which a fork takes, is then held until profil_page_unlend().  NULL: such pages
 *	are refused
 *
 * Context: Process context, may sleep; no lock of ours is held.
 * Return: 0; -EFAULT if counters may not be there; -ENOMEM, also if many pages are taken away as
 * fast as they come; -EINTR.
 */
int profil_pages_pin(unsigned long at, unsigned long nr, struct page **pages, bool *lent)
{
	struct mm_struct *mm = current->mm;
	unsigned int tries;
	int err;

	for (tries = 0; tries < PIN_TRIES; tries++) {
		err = mmap_read_lock_killable(mm);
		if (err)
			return err;
		err = profil_pages_pin_present(mm, at, nr, pages, lent);
		if (!err && lent && *lent)
			return 0;
		mmap_read_unlock(mm);
		if (err == MISSING)
			err = profil_pages_fault_in(mm, at, nr) ?: MISSING;
		if (err != MISSING)
			return err;
	}
	/* A single page that never stays is of a kind that no check here knows. */
	if (nr == 1)
		return -EFAULT;
	err = profil_pages_pin(at, 1, pages, NULL);
	if (err)
		return err;
	unpin_user_page(*pages);
	*pages = NULL;
	return -ENOMEM;	/* memory is short, perhaps in a cgroup */
}

/**
 * profil_page_unlend() - unpin a page that was lent
 * @page: from profil_pages_pin(); current still holds mmap_lock from there
 *
 * Context: Process context.
 */
void profil_page_unlend(struct page *page)
{
	/* It is never written back, so it need not be marked dirty. */
	unpin_user_page(page);
	mmap_read_unlock(current->mm);
}

/**
 * profil_page_same() - look without a lock whether a page is still where it was pinned
 * @at: its address in current's memory
 * @page: its kernel address
 *
 * Context: Process context.
 * Return: true if it is mapped there, writable, and has no memory error; false, perhaps by
 * chance, if profil_pages_pin() has to look.
 */
bool profil_page_same(unsigned long at, const void *page)
{
	struct page *present;
	bool same;

	if (get_user_pages_fast_only(at, 1, FOLL_WRITE, &present) != 1)
		return false;
	same = page_address(present) == page && !is_page_hwpoison(present);
	put_page(present);
	return same;
}

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
