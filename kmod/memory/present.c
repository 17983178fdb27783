// SPDX-License-Identifier: GPL-2.0-only
/*
 * Making pages present, so that they can be pinned.
 *
 * They are faulted in without mmap_lock, as that may take as long as a file system likes.
 *
 * Context: process
 */
#include "memory/pins.h"

#include "compat.h"

#include <linux/hugetlb.h>
#include <linux/magic.h>
#include <linux/sched/mm.h>
#include <linux/userfaultfd_k.h>

/* Pages handled at once; bounds the use of stack. */
#define BATCH		32
/* How often to fault in a page that is taken away again. */
#define LEND_TRIES	8

/**
 * profil_is_tmpfs_file() - is the file of a mapping on tmpfs?
 * @inode: the file's
 *
 * devtmpfs has the same magic, but pages of a device node are a driver's.
 *
 * Context: Process context.
 * Return: true if it is.
 */
bool profil_is_tmpfs_file(const struct inode *inode)
{
	return inode->i_sb->s_magic == TMPFS_MAGIC && S_ISREG(inode->i_mode);
}

/* Fault in pages that can be had without blocking. */
static bool profil_pages_fault_in_nowait(unsigned long at, unsigned long end)
{
	struct page *pages[BATCH];

	while (at < end) {
		long nr = min_t(unsigned long, (end - at) >> PAGE_SHIFT, BATCH);
		long got = profil_pin_user_pages(at, nr, pages, true);

		if (got > 0)
			unpin_user_pages(pages, got);
		if (got != nr)
			return false;
		at += nr << PAGE_SHIFT;
	}
	return true;
}

/* May a userfaultfd handler have to provide its pages?  (It can watch writes to any memory.) */
static bool profil_vma_is_watched(struct vm_area_struct *vma)
{
	return userfaultfd_armed(vma) &&
	       (!vma->vm_file || is_vm_hugetlb_page(vma) ||
		profil_is_tmpfs_file(file_inode(vma->vm_file)));
}

/**
 * profil_pages_fault_in_watched() - fault in pages that a userfaultfd watches
 * @mm: current's
 * @span: the pages
 *
 * Does not wait for pages that its handler would have to provide or make writable, as it may
 * never do so.  No file system can make others wait for such memory.
 *
 * Context: Process context, under mmap_lock, may sleep.
 * Return: 0; -EFAULT if the handler would be asked.
 */
int profil_pages_fault_in_watched(struct mm_struct *mm, const struct profil_span *span)
{
	unsigned long end = span->start + (span->pages << PAGE_SHIFT);
	struct vm_area_struct *vma;

	mmap_assert_locked(mm);
	for (vma = find_vma(mm, span->start); vma && vma->vm_start < end;
	     vma = find_vma(mm, vma->vm_end))
		if (profil_vma_is_watched(vma) &&
		    !profil_pages_fault_in_nowait(max(vma->vm_start, span->start),
						  min(vma->vm_end, end)))
			return -EFAULT;
	return 0;
}

/**
 * profil_pages_fault_in() - fault in pages
 * @mm: current's
 * @start: address of the first one
 * @pages: how many
 *
 * mmap_lock is dropped while waiting for a page, and pages may be gone again on return.
 * Unlike fault_in_safe_writeable(), this distinguishes -ENOMEM, which is no reason to turn
 * a region off, from memory that is not mapped.
 *
 * Context: Process context, may sleep; no lock of ours is held.
 * Return: 0; -EFAULT, -ENOMEM, -EINTR.
 */
int profil_pages_fault_in(struct mm_struct *mm, unsigned long start, unsigned long pages)
{
	unsigned long at, end = start + (pages << PAGE_SHIFT);
	bool unlocked = false;
	int err = 0;

	if (mmap_read_lock_killable(mm))
		return -EINTR;
	for (at = start; at < end && !err; at += PAGE_SIZE) {
		err = fixup_user_fault(mm, at, FAULT_FLAG_WRITE, &unlocked);
		if (!err && fatal_signal_pending(current))
			err = -EINTR;
		cond_resched();
	}
	mmap_read_unlock(mm);
	if (!err || err == -ENOMEM || err == -EINTR)
		return err;
	return fatal_signal_pending(current) ? -EINTR : -EFAULT;
}

/* Return: 0; -ENOENT if the page is missing; -EFAULT if it may not be lent. */
static int profil_page_lend_present(struct mm_struct *mm, unsigned long at, struct page **page)
{
	const struct profil_span span = { .start = at, .pages = 1 };
	struct vm_area_struct *vma = vma_lookup(mm, at);

	if (!vma || !is_vm_hugetlb_page(vma) ||
	    (vma->vm_flags & (VM_WRITE | VM_SHARED)) != VM_WRITE)
		return -EFAULT;
	if (profil_pin_user_pages(at, 1, page, false) != 1)
		return profil_pages_fault_in_watched(mm, &span) ?: -ENOENT;
	if (!is_page_hwpoison(*page))
		return 0;
	unpin_user_page(*page);
	return -EFAULT;
}

/**
 * profil_page_lend() - pin a page of current's memory that cannot stay pinned
 * @at: its address
 * @page: receives it; profil_page_unlend() unpins it
 *
 * It is a private page of hugetlbfs.  A fork copies such a page at once if it is pinned, and
 * fails if no huge page is free.  A fork takes mmap_lock, so it does not find this one pinned.
 *
 * Context: Process context, may sleep; no lock of ours is held.
 * Return: 0, with current's mmap_lock held; -EFAULT if it is not such a page; -ENOMEM, -EINTR.
 */
int profil_page_lend(unsigned long at, struct page **page)
{
	struct mm_struct *mm = current->mm;
	unsigned int tries;
	int err;

	for (tries = 0; tries < LEND_TRIES; tries++) {
		err = mmap_read_lock_killable(mm);
		if (err)
			return err;
		err = profil_page_lend_present(mm, at, page);
		if (!err)
			return 0;
		mmap_read_unlock(mm);
		if (err == -ENOENT)
			err = profil_pages_fault_in(mm, at, 1);
		if (err)
			return err;
	}
	return -ENOMEM;
}

/**
 * profil_page_unlend() - unpin a page
 * @page: from profil_page_lend(); current still holds mmap_lock from there
 *
 * Context: Process context.
 */
void profil_page_unlend(struct page *page)
{
	/* It is never written back, so it need not be marked dirty. */
	unpin_user_page(page);
	mmap_read_unlock(current->mm);
}
