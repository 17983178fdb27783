// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pinned pages: the counters, where the tick can reach them.
 *
 * Which memory is accepted does not depend on the kernel: every mapping is
 * looked at before its pages are pinned, and both happen under one hold of
 * mmap_lock, so that nothing else can be slipped in between.  With the lock
 * held a page that user space would have to provide (userfaultfd) is not
 * waited for but refused.
 */
#include "pages.h"

#include "layout.h"
#include "limits.h"

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/hugetlb.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/rmap.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "compat.h"

/* Pages handled in one go; bounds the stack. */
#define BATCH	32

static void do_nothing(void *unused)
{
}

/**
 * profil_sync_ticks() - wait for the ticks that run now
 *
 * A tick runs with interrupts off, so a CPU that has answered an
 * inter-processor call runs none that began before.  Pairs with the
 * rcu_dereference() and READ_ONCE() of sample.c: what was unpublished before
 * this call is not reached after it.
 *
 * Context: Process context.
 */
void profil_sync_ticks(void)
{
	on_each_cpu(do_nothing, NULL, 1);
}

static bool vma_countable(struct vm_area_struct *vma)
{
	if (!(vma->vm_flags & VM_WRITE) || (vma->vm_flags & (VM_IO | VM_PFNMAP)))
		return false;
	if (is_vm_hugetlb_page(vma))	/* a private one makes fork fail */
		return vma->vm_flags & VM_SHARED;
	if (vma->vm_file && (vma->vm_flags & VM_SHARED))
		return file_inode(vma->vm_file)->i_sb->s_magic == TMPFS_MAGIC;
	return true;
}

/*
 * What a mapping is a mapping of.  A child's copy gives the same value, as
 * fork hands down the root of the anonymous pages' owner; a mapping made anew
 * gives another.  Only ever compared.
 */
static u64 vma_identity(struct vm_area_struct *vma)
{
	u64 id = vma->vm_flags & (VM_SHARED | VM_WRITE | VM_HUGETLB);

	if (vma->anon_vma)
		id = hash_64(id ^ (uintptr_t)vma->anon_vma->root, 64);
	if (vma->vm_file) {
		id = hash_64(id ^ (uintptr_t)file_inode(vma->vm_file), 64);
		id = hash_64(id ^ (vma->vm_pgoff - (vma->vm_start >> PAGE_SHIFT)), 64);
	}
	return id;
}

/* Sum over pages, so that splitting and merging mappings does not change it. */
static int span_signature(struct mm_struct *mm, const struct profil_span *span, u64 *signature)
{
	unsigned long at = span->start, end = span->start + (span->pages << PAGE_SHIFT);
	struct vm_area_struct *vma;

	mmap_assert_locked(mm);
	*signature = 0;
	while (at < end) {
		unsigned long stop;

		vma = find_vma(mm, at);
		if (!vma || vma->vm_start > at || !vma_countable(vma))
			return -EFAULT;
		stop = min(vma->vm_end, end);
		*signature += vma_identity(vma) * ((stop - at) >> PAGE_SHIFT);
		at = stop;
	}
	return 0;
}

/*
 * Turn pages off and unpin them.  With @sync ticks may still reach them; then
 * they are unpinned only when none does.
 */
static unsigned long unpin_range(struct profil_pins *pins, unsigned long first,
				 unsigned long nr, bool sync)
{
	unsigned long i, end = first + nr, unpinned = 0;
	struct page *pages[BATCH];
	unsigned int n;

	for (i = first; i < end; unpinned += n) {
		for (n = 0; n < BATCH && i < end; i++) {
			if (!pins->page[i])
				continue;
			pages[n++] = virt_to_page(pins->page[i]);
			WRITE_ONCE(pins->page[i], NULL);
		}
		if (sync)
			profil_sync_ticks();
		unpin_user_pages_dirty_lock(pages, n, true);
		cond_resched();
	}
	return unpinned;
}

static void uncharge(struct profil_pins *pins, unsigned long pages)
{
	account_locked_vm(pins->mm, pages, false);
	profil_user_uncharge_pages(pins->user, pages);
	pins->held -= pages;
}

static int charge(struct profil_pins *pins, unsigned long pages)
{
	int err;

	err = profil_user_charge_pages(pins->user, pages);
	if (err)
		return err;
	err = account_locked_vm(pins->mm, pages, true);
	if (err) {
		profil_user_uncharge_pages(pins->user, pages);
		return err;
	}
	pins->held += pages;
	return 0;
}

static const struct profil_span *span_of_old(const struct profil_pins *old,
					     const struct profil_span *span)
{
	unsigned int i, k;

	if (!old)
		return NULL;
	for (i = 0; i < old->layout->nr_spans; i++) {
		const struct profil_span *same = &old->layout->spans[i];

		if (same->start != span->start || same->pages != span->pages)
			continue;
		for (k = 0; k < same->pages; k++)
			if (!old->page[same->first + k])
				return NULL;
		return same;
	}
	return NULL;
}

/*
 * One region, 32-bit counters that wrap: the tick need not look for the one,
 * nor ask for the other, nor whether the page is there.
 */
static void set_only(struct profil_pins *pins)
{
	const struct profil_layout *layout = pins->layout;

	if (layout->nr_bins == 1 && layout->bin[0].width == 4 &&
	    layout->how.limit_policy == PROFIL_WRAP)
		pins->only = layout->bin[0];
}

/**
 * profil_pins_slow() - take the short way of the tick no more
 * @pins: published or not
 *
 * Context: Any, hard interrupt included.
 */
void profil_pins_slow(struct profil_pins *pins)
{
	WRITE_ONCE(pins->only.high, 0);
}

/* Under one mmap_lock: is it memory to count in, and then pin it. */
static int pin_span(struct profil_pins *pins, struct profil_span *span, bool inherited)
{
	struct page **pages = (struct page **)&pins->page[span->first];
	unsigned long i;
	u64 signature;
	long got;
	int err;

	if (mmap_read_lock_killable(pins->mm))
		return -EINTR;
	err = span_signature(pins->mm, span, &signature);
	if (!err && inherited && signature != span->signature)
		err = -EFAULT;
	if (err)
		goto unlock;

	got = profil_pin_user_pages(span->start, span->pages, pages);
	if (got != span->pages) {
		if (got > 0)
			unpin_user_pages(pages, got);
		memset(pages, 0, span->pages * sizeof(*pages));
		err = got == -ENOMEM || got == -EINTR ? got : -EFAULT;
		goto unlock;
	}
	/* The pages are there now, and so is the identity of a new mapping. */
	if (!inherited)
		err = span_signature(pins->mm, span, &span->signature);
	for (i = 0; i < span->pages; i++)
		pins->page[span->first + i] = page_address(pages[i]);
unlock:
	mmap_read_unlock(pins->mm);
	return err;
}

static int pin_spans(struct profil_pins *pins, const struct profil_pins *old, bool inherited)
{
	struct profil_layout *layout = pins->layout;
	unsigned int i;
	int err;

	for (i = 0; i < layout->nr_spans; i++) {
		struct profil_span *span = &layout->spans[i];
		const struct profil_span *same = span_of_old(old, span);

		if (same) {
			span->signature = same->signature;
			continue;
		}
		err = charge(pins, span->pages);
		if (err)
			return err;
		err = pin_span(pins, span, inherited);
		if (err) {
			uncharge(pins, span->pages);
			return err;
		}
	}
	return 0;
}

/**
 * profil_pins_create() - pin the pages of a layout in current's memory
 * @layout: not yet in use by a tick; its spans receive their signatures unless
 *	@inherited
 * @user: who is charged
 * @old: pins of the same memory whose identical spans are left out, to be
 *	shared with profil_pins_share() when nothing can fail any more; or NULL
 * @inherited: by fork: refuse memory that is not the parent's
 *
 * Context: Process context, current->mm is the owner's.  May sleep.
 * Return: the pins, or an ERR_PTR: -EFAULT, -ENOMEM, -EDQUOT, -EINTR.
 */
struct profil_pins *profil_pins_create(struct profil_layout *layout, struct profil_user *user,
				       const struct profil_pins *old, bool inherited)
{
	struct profil_pins *pins;
	int err;

	pins = kvzalloc(struct_size(pins, page, layout->pages), GFP_KERNEL_ACCOUNT);
	if (!pins)
		return ERR_PTR(-ENOMEM);
	pins->layout = profil_layout_get(layout);
	pins->mm = current->mm;
	mmgrab(pins->mm);
	pins->user = profil_user_get(user->uid);
	if (!pins->user) {
		err = -ENOMEM;
		goto drop;
	}
	err = pin_spans(pins, old, inherited);
	set_only(pins);
	if (!err)
		return pins;
	profil_pins_release(pins);
	return ERR_PTR(err);
drop:
	mmdrop(pins->mm);
	profil_layout_put(pins->layout);
	kvfree(pins);
	return ERR_PTR(err);
}

/**
 * profil_pins_share() - fill in the spans that were left out
 * @pins: created with @old, to be published next
 * @old: the lock of its profile has been held since
 *
 * Apart from creation, so that a failure never leaves pages with two owners.
 *
 * Context: Process context.
 */
void profil_pins_share(struct profil_pins *pins, const struct profil_pins *old)
{
	struct profil_layout *layout = pins->layout;
	unsigned int i;

	for (i = 0; i < layout->nr_spans; i++) {
		struct profil_span *span = &layout->spans[i];
		const struct profil_span *same;

		if (pins->page[span->first])
			continue;
		same = span_of_old(old, span);
		memcpy(&pins->page[span->first], &old->page[same->first],
		       span->pages * sizeof(*pins->page));
	}
}

/**
 * profil_pins_take_over() - make shared pages the new pins' own
 * @pins: shared with @old, and published
 * @old: not reached by any tick any more
 *
 * Context: Process context, under the lock that @old was shared under.
 */
void profil_pins_take_over(struct profil_pins *pins, struct profil_pins *old)
{
	struct profil_layout *layout = pins->layout;
	unsigned int i;

	for (i = 0; i < layout->nr_spans; i++) {
		const struct profil_span *span = &layout->spans[i];
		const struct profil_span *same = span_of_old(old, span);

		if (!same || old->page[same->first] != pins->page[span->first])
			continue;
		memset(&old->page[same->first], 0, same->pages * sizeof(*old->page));
		old->held -= same->pages;
		pins->held += same->pages;
	}
}

/* Same mapping, other pages (MADV_DONTNEED, say): count in those from now on. */
static void renew(struct profil_pins *pins, unsigned long first, struct page **pages, long nr)
{
	bool stale = false;
	void *address;
	long i;

	for (i = 0; i < nr; i++) {
		address = pins->page[first + i];
		if (!address || address == page_address(pages[i]))
			continue;
		WRITE_ONCE(pins->page[first + i], page_address(pages[i]));
		pages[i] = virt_to_page(address);
		stale = true;
	}
	if (stale)
		profil_sync_ticks();
	unpin_user_pages_dirty_lock(pages, nr, stale);
}

static int check_span(struct profil_pins *pins, const struct profil_span *span)
{
	struct page *pages[BATCH];
	unsigned long done = 0;
	u64 signature;
	int err;

	if (!pins->page[span->first])
		return 0;	/* known to be off */
	err = span_signature(pins->mm, span, &signature);
	if (err || signature != span->signature)
		return -EFAULT;
	while (done < span->pages) {
		unsigned long nr = min_t(unsigned long, span->pages - done, BATCH);
		long got = profil_pin_user_pages(span->start + (done << PAGE_SHIFT), nr, pages);

		if (got <= 0)
			return -EFAULT;
		renew(pins, span->first + done, pages, got);
		done += got;
	}
	return 0;
}

/*
 * The quick answer, without a lock: every page is mapped where it was, for
 * writing.  False means only that the mappings must be looked at.
 */
static bool span_same(const struct profil_pins *pins, const struct profil_span *span)
{
	struct page *pages[BATCH];
	unsigned long done = 0;
	bool same = true;
	int i, got;

	while (same && done < span->pages) {
		unsigned long nr = min_t(unsigned long, span->pages - done, BATCH);

		got = get_user_pages_fast_only(span->start + (done << PAGE_SHIFT), nr,
					       FOLL_WRITE, pages);
		same = got == nr;
		for (i = 0; i < got; i++) {
			if (pins->page[span->first + done + i] != page_address(pages[i]))
				same = false;
			put_page(pages[i]);
		}
		done += nr;
	}
	return same;
}

/**
 * profil_pins_check() - are the counters still where the program has them?
 * @pins: of current's memory
 *
 * A mapping that is gone, was replaced, or cannot be written any more turns
 * its span off.  munmap, mprotect and mremap take effect with this.
 *
 * Context: Process context, under the profile's lock.
 * Return: 0, -EFAULT if a span was turned off by this call, -EINTR.
 */
int profil_pins_check(struct profil_pins *pins)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < pins->layout->nr_spans; i++) {
		const struct profil_span *span = &pins->layout->spans[i];
		int err;

		if (span_same(pins, span))
			continue;
		if (mmap_read_lock_killable(pins->mm))
			return -EINTR;
		err = check_span(pins, span);
		mmap_read_unlock(pins->mm);
		if (err) {
			profil_pins_slow(pins);
			profil_sync_ticks();
			uncharge(pins, unpin_range(pins, span->first, span->pages, true));
			ret = err;
		}
	}
	return ret;
}

/**
 * profil_pins_release() - unpin, un-charge and free
 * @pins: not reached by any tick any more
 *
 * Context: Process context, any task.
 */
void profil_pins_release(struct profil_pins *pins)
{
	unpin_range(pins, 0, pins->layout->pages, false);
	uncharge(pins, pins->held);
	profil_user_put(pins->user);
	mmdrop(pins->mm);
	profil_layout_put(pins->layout);
	kvfree(pins);
}
