// SPDX-License-Identifier: GPL-2.0-only
/*
 * A span: a run of pages that hold counters.
 *
 * Which memory is accepted does not depend on the kernel: every mapping is checked, and
 * under the same hold of mmap_lock its pages are pinned, or found to be those that were
 * pinned a moment before, so that nothing else can be mapped there in between.  Pages are
 * faulted in without the lock, as that may take as long as a file system likes; pages that
 * are gone again under the lock are faulted in again, a few times.
 *
 * Context: process
 */
#include "memory/pins.h"

#include "base/base.h"
#include "compat.h"

#include <linux/hash.h>
#include <linux/hugetlb.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/pagemap.h>
#include <linux/rcupdate.h>
#include <linux/rmap.h>
#include <linux/sched/mm.h>

/* Pages handled at once; bounds the use of stack. */
#define BATCH		32
/* How often to fault in pages that are taken away again. */
#define PIN_TRIES	8
/* The mapping is good, but pages are missing. */
#define MISSING		1
/* The mapping is good, but its signature is not final. */
#define UNSETTLED	2

static bool profil_vma_countable(struct vm_area_struct *vma)
{
	if (!(vma->vm_flags & VM_WRITE) || (vma->vm_flags & (VM_IO | VM_PFNMAP)))
		return false;
	if (is_vm_hugetlb_page(vma))	/* a private one makes fork fail */
		return vma->vm_flags & VM_SHARED;
	if (vma->vm_file && (vma->vm_flags & VM_SHARED))
		return profil_is_tmpfs_file(file_inode(vma->vm_file));
	return true;
}

/*
 * Identity of what backs a VMA.  Opaque: only ever compared.  A new mapping gives
 * another value, unless it is anonymous too and the kernel happens to reuse the
 * freed anon_vma: then it is taken for the old one, as on classic Unix, which knew
 * only the address.
 */
static u64 profil_vma_identity(struct vm_area_struct *vma)
{
	u64 id = vma->vm_flags & (VM_SHARED | VM_WRITE | VM_HUGETLB);
	const struct anon_vma *anon = READ_ONCE(vma->anon_vma);

	/* Another thread's fault may set it at any time; nothing clears it. */
	if (anon)
		id = hash_64(id ^ (uintptr_t)anon->root, 64);
	if (vma->vm_file) {
		id = hash_64(id ^ (uintptr_t)file_inode(vma->vm_file), 64);
		id = hash_64(id ^ (vma->vm_pgoff - (vma->vm_start >> PAGE_SHIFT)), 64);
	}
	return id;
}

/*
 * A sum over pages, so that splitting or merging mappings does not change it.  Return: 0;
 * UNSETTLED if a mapping gets its identity only with its first page; -EFAULT if counters may
 * not be there.
 */
static int profil_span_signature(struct mm_struct *mm, const struct profil_span *span,
				 u64 *signature)
{
	unsigned long at = span->start, end = span->start + (span->pages << PAGE_SHIFT);
	struct vm_area_struct *vma;
	int ret = 0;

	mmap_assert_locked(mm);
	*signature = 0;
	while (at < end) {
		unsigned long stop;

		vma = vma_lookup(mm, at);
		if (!vma || !profil_vma_countable(vma))
			return -EFAULT;
		stop = min(vma->vm_end, end);
		/* Before the identity is read: a fault may set anon_vma at any time. */
		if (!(vma->vm_flags & VM_SHARED) && !READ_ONCE(vma->anon_vma))
			ret = UNSETTLED;
		*signature += profil_vma_identity(vma) * ((stop - at) >> PAGE_SHIFT);
		at = stop;
	}
	return ret;
}

/* The kernel does not unmap a page with a memory error if it is part of a huge one. */
static bool profil_pages_have_error(struct page **pages, unsigned long nr)
{
	unsigned long i;

	for (i = 0; i < nr; i++)
		if (is_page_hwpoison(pages[i]))
			return true;
	return false;
}

/* Pin all pages or none.  Return: 0, MISSING, -EFAULT, -ENOMEM, -EINTR. */
static int profil_pages_pin_present(unsigned long start, unsigned long nr, struct page **pages)
{
	long got = profil_pin_user_pages(start, nr, pages, false);
	int err;

	if (got == nr && !profil_pages_have_error(pages, nr))
		return 0;
	if (got == nr)
		err = -EFAULT;
	else
		err = got == -ENOMEM || got == -EINTR ? got : MISSING;
	if (got > 0)
		unpin_user_pages(pages, got);
	memset(pages, 0, nr * sizeof(*pages));
	return err;
}

/*
 * Pages did not stay long enough to be pinned.  Return: -ENOMEM if one page alone can be pinned:
 * memory is short, perhaps in a cgroup; -EFAULT if it cannot: it is of a kind that no check
 * here knows; -EINTR.
 */
static int profil_pages_why_missing(struct mm_struct *mm, unsigned long at)
{
	unsigned int tries;
	struct page *page;
	int err = MISSING;

	for (tries = 0; tries < PIN_TRIES && err == MISSING; tries++) {
		err = profil_pages_fault_in(mm, at, 1) ?: mmap_read_lock_killable(mm);
		if (err)
			return err;
		err = profil_pages_pin_present(at, 1, &page);
		mmap_read_unlock(mm);
	}
	if (err)
		return err == MISSING ? -EFAULT : err;
	unpin_user_pages(&page, 1);
	return -ENOMEM;
}

/**
 * profil_pins_aim() - find the gate's page among the pins
 * @pins: not published, or their profile's lock is held
 *
 * Context: Process context.
 * Return: true if the gate is elsewhere now.
 */
bool profil_pins_aim(struct profil_pins *pins)
{
	const struct profil_layout *layout = pins->layout;
	u32 *before = pins->gate, *gate = &pins->gate_value;
	void *page;

	if (layout->how.gate) {
		page = pins->page[layout->gate >> PAGE_SHIFT];
		gate = page ? page + offset_in_page(layout->gate) : &pins->gate_lost;
	}
	WRITE_ONCE(pins->gate, gate);
	return gate != before;
}

/**
 * profil_pins_sync() - wait for all code that may use pages that have just gone
 * @pins: published; their lock is held
 *
 * Counters are reached only in sections.  The gate is also read outside of them, by the fork
 * probe and by threads that have deferred ticks to count; these have interrupts off.
 *
 * Context: Process context, may sleep.
 */
void profil_pins_sync(struct profil_pins *pins)
{
	if (profil_pins_aim(pins))
		synchronize_rcu();
	profil_sections_settle();
}

/*
 * Pin some pages of a span, after the check that counters may be there: both under one
 * hold of mmap_lock.  @signature: what the whole span must have, or NULL.
 */
static int profil_span_pin_part(struct mm_struct *mm, const struct profil_span *span,
				const struct profil_span *part, const u64 *signature,
				struct page **pages)
{
	unsigned int tries;
	u64 present;
	int err;

	for (tries = 0; tries < PIN_TRIES; tries++) {
		err = mmap_read_lock_killable(mm);
		if (err)
			return err;
		err = profil_span_signature(mm, span, &present);
		if (signature && present != *signature)
			err = -EFAULT;
		if (err >= 0)
			err = profil_pages_pin_present(part->start, part->pages, pages);
		if (err == MISSING)
			err = profil_pages_fault_in_watched(mm, part) ?: MISSING;
		mmap_read_unlock(mm);
		if (err == MISSING)
			err = profil_pages_fault_in(mm, part->start, part->pages) ?: MISSING;
		if (err != MISSING)
			return err;
	}
	return profil_pages_why_missing(mm, part->start);
}

/**
 * profil_span_same() - the fast path of profil_span_check(), without a lock
 * @pins: of current's memory
 * @span: one of theirs
 *
 * Context: Process context.
 * Return: true if every page is mapped where it was, writable, and has no memory
 * error; false: use profil_span_check().
 */
bool profil_span_same(const struct profil_pins *pins, const struct profil_span *span)
{
	struct page *pages[BATCH];
	unsigned long done = 0;
	bool same = true;
	int i, got;

	while (same && done < span->pages) {
		unsigned long nr = min_t(unsigned long, span->pages - done, BATCH);

		got = get_user_pages_fast_only(span->start + (done << PAGE_SHIFT), nr,
					       FOLL_WRITE, pages);
		same = got == nr && !profil_pages_have_error(pages, nr);
		for (i = 0; i < got; i++) {
			if (READ_ONCE(pins->page[span->first + done + i]) != page_address(pages[i]))
				same = false;
			put_page(pages[i]);
		}
		done += nr;
		cond_resched();
	}
	return same;
}

static void profil_span_set_part(struct profil_span *part, const struct profil_span *span,
				 unsigned long done)
{
	part->start = span->start + (done << PAGE_SHIFT);
	part->first = span->first + done;
	part->pages = min_t(unsigned long, span->pages - done, BATCH);
}

static int profil_span_pin_all(struct profil_pins *pins, const struct profil_span *span)
{
	struct page *pages[BATCH];
	unsigned long done, i;
	struct profil_span part;
	int err;

	for (done = 0; done < span->pages; done += part.pages) {
		profil_span_set_part(&part, span, done);
		err = profil_span_pin_part(pins->mm, span, &part, NULL, pages);
		if (err)
			return err;
		for (i = 0; i < part.pages; i++)
			pins->page[part.first + i] = page_address(pages[i]);
		cond_resched();
	}
	return 0;
}

/* Return: 0 if the pins are what is mapped there, and the span has its signature; or MISSING. */
static int profil_span_confirm(const struct profil_pins *pins, struct profil_span *span)
{
	int err = mmap_read_lock_killable(pins->mm);

	if (err)
		return err;
	err = profil_span_signature(pins->mm, span, &span->signature);
	if (err == UNSETTLED || (!err && !profil_span_same(pins, span)))
		err = MISSING;
	mmap_read_unlock(pins->mm);
	return err;
}

static void profil_span_unpin(struct profil_pins *pins, const struct profil_span *span)
{
	unsigned long i;

	for (i = span->first; i < span->first + span->pages && pins->page[i]; i++) {
		unpin_user_page(virt_to_page(pins->page[i]));
		pins->page[i] = NULL;
	}
}

/**
 * profil_span_pin() - pin the pages of a span in current's memory
 * @pins: not published; its pages are entered here
 * @span: receives its signature
 *
 * Context: Process context, may sleep.
 * Return: 0; -EFAULT if counters may not be there; -ENOMEM, also if pages are taken away as
 * fast as they come; -EINTR.
 */
int profil_span_pin(struct profil_pins *pins, struct profil_span *span)
{
	unsigned int tries;
	int err;

	for (tries = 0; tries < PIN_TRIES; tries++) {
		err = profil_span_pin_all(pins, span) ?: profil_span_confirm(pins, span);
		if (!err)
			return 0;
		profil_span_unpin(pins, span);
		if (err != MISSING)
			return err;
	}
	return -ENOMEM;
}

/**
 * profil_page_pin() - pin one page of current's memory
 * @start: its address
 * @page: receives it
 *
 * Context: Process context, may sleep; no lock of ours is held.
 * Return: 0; -EFAULT if counters may not be there; -ENOMEM, also if pages are taken away as
 * fast as they come; -EINTR.
 */
int profil_page_pin(unsigned long start, struct page **page)
{
	const struct profil_span span = { .start = start, .pages = 1 };

	return profil_span_pin_part(current->mm, &span, &span, NULL, page);
}

/*
 * Same mapping, other pages (after MADV_DONTNEED, say): count in those from now on.
 * @pages are the present ones, pinned once more; those that are not needed are unpinned.
 */
static void profil_span_renew(struct profil_pins *pins, const struct profil_span *part,
			      struct page **pages)
{
	void **page = &pins->page[part->first];
	bool stale = false;
	unsigned long i;
	void *address;

	mutex_lock(pins->lock);
	for (i = 0; i < part->pages && !pins->gone; i++) {
		address = page[i];
		if (address == page_address(pages[i]))
			continue;
		WRITE_ONCE(page[i], page_address(pages[i]));
		pages[i] = virt_to_page(address);
		stale = true;
	}
	if (stale)
		profil_pins_sync(pins);
	mutex_unlock(pins->lock);
	unpin_user_pages_dirty_lock(pages, part->pages, stale);
}

/**
 * profil_span_check() - is the same memory mapped as when a span was pinned?
 * @pins: of current's memory, referenced
 * @span: one of theirs
 *
 * If the mapping is the same but has other pages, those are pinned instead.
 *
 * Context: Process context, may sleep; no other task checks the same pins.
 * Return: 0; -EFAULT if not; -ENOMEM, -EINTR.
 */
int profil_span_check(struct profil_pins *pins, const struct profil_span *span)
{
	struct page *pages[BATCH];
	struct profil_span part;
	unsigned long done;
	int err;

	for (done = 0; done < span->pages; done += part.pages) {
		profil_span_set_part(&part, span, done);
		err = profil_span_pin_part(pins->mm, span, &part, &span->signature, pages);
		if (err)
			return err;
		profil_span_renew(pins, &part, pages);
		cond_resched();
	}
	return 0;
}
