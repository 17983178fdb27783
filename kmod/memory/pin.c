// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pinning pages of current's memory: checking that the memory may hold counters, and charging for
 * the pages.
 *
 * All kernels accept the same memory: the mapping of each page is checked, and the page is pinned,
 * under one hold of mmap_lock, so that nothing else can be mapped there in between.  Missing pages
 * are faulted in without that hold: a file system may take as long as it likes to provide them.
 * Pages that are gone again under the lock are faulted in again, a few times.
 *
 * Pages are charged to three accounts: the user's in this module (base/limits.c) and, as in
 * io_uring, two that RLIMIT_MEMLOCK limits: the kernel's count of all pages that are pinned for
 * the user, and the address space's (VmPin), to which memory locked by mlock(2) is added.
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

/* How many times to fault in pages that are taken away again. */
#define PIN_TRIES	16
/* The mapping is good, but the page is missing. */
#define MISSING		1

static bool profil_vma_is_of_tmpfs(const struct vm_area_struct *vma)
{
	const struct inode *inode = file_inode(vma->vm_file);

	/* devtmpfs has the same magic, but the pages of a device node belong to a driver. */
	return inode->i_sb->s_magic == TMPFS_MAGIC && S_ISREG(inode->i_mode);
}

/* A fork copies a pinned page of such a mapping at once, and fails if no huge page is free. */
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
 * Return: true if a userfaultfd handler may have to provide the pages, or make them writable.  It
 * may never do so, so such pages are faulted in only if that does not block.  No file system can
 * delay a fault in such memory.
 */
static bool profil_vma_is_watched(struct vm_area_struct *vma)
{
	return userfaultfd_armed(vma) &&
	       (!vma->vm_file || is_vm_hugetlb_page(vma) || profil_vma_is_of_tmpfs(vma));
}

/*
 * Return: 0; MISSING; -EFAULT if the memory may not hold counters, or only a userfaultfd handler
 * could provide the page; -ENOMEM, -EINTR.
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

/* Pin all pages or none.  Return: as profil_page_pin_present(). */
static int profil_pages_pin_present(struct mm_struct *mm, unsigned long at, unsigned long nr,
				    struct page **pages, bool *lent)
{
	unsigned long i;
	int err = 0;

	for (i = 0; i < nr; i++) {
		err = profil_page_pin_present(mm, at + (i << PAGE_SHIFT), &pages[i], lent);
		if (err) {
			unpin_user_pages(pages, i);
			pages[0] = NULL;	/* it is no longer pinned */
			break;
		}
	}
	return err;
}

/*
 * mmap_lock is dropped while waiting for a page, and pages may be gone again on return.
 * Unlike fault_in_safe_writeable(), this function distinguishes a lack of memory (-ENOMEM), which
 * must not turn a region off, from memory that is not mapped.
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
		/* The handler may never answer: profil_page_pin_present() tries without it. */
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
 * @at: address of the first page
 * @nr: number of pages; few, because all must be present at once
 * @pages: receives the pages; on error, the first element is NULL or unchanged
 * @lent: set to true for a private page of hugetlbfs, which must not stay pinned: current's
 *	mmap_lock, which a fork takes, is then held until profil_page_unlend().  NULL: such pages
 *	are refused
 *
 * Context: Process context, may sleep; no lock of ours is held.
 * Return: 0; -EFAULT if the memory may not hold counters; -ENOMEM, also if several pages are taken
 * away as fast as they are faulted in; -EINTR.
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
	/* If a single page never stays, it is of a kind that the checks here do not know. */
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
	/* A page of hugetlbfs is never written back, so it need not be marked dirty. */
	unpin_user_page(page);
	mmap_read_unlock(current->mm);
}

/**
 * profil_page_same() - check without a lock that a page is still mapped where it was pinned
 * @at: the page's address in current's memory
 * @page: the page's kernel address
 *
 * Context: Process context.
 * Return: true if the page is mapped there, is writable, and has no memory error; false if not.
 * It may also be false by chance: then only profil_pages_pin() can tell.
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
 * @pins: pins in current's memory
 * @pages: number of pages to be pinned, already charged to the user's account
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

	/* Add before comparing, so that concurrent threads cannot exceed the limit together. */
	own = atomic64_add_return(pages, &mm->pinned_vm);
	if (!pins->locker || !pages)
		return 0;
	/* The amount that the program has locked itself may change at any time. */
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
 * @pins: pins in current's memory
 * @pages: number of pages to be pinned
 *
 * Context: Process context, may sleep.
 * Return: as profil_user_charge_pages() or profil_charge_locked().
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
 * @pins: the pins that the pages belonged to
 * @pages: number of pages
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
