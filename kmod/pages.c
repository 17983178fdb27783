// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pinned pages: the counters, where the tick can reach them.
 *
 * Which memory is accepted does not depend on the kernel: every mapping is
 * looked at before its pages are pinned, and both happen under one hold of
 * mmap_lock, so that nothing else can be slipped in between.  Pages are brought
 * without the lock, as that may take as long as a file system pleases; what is
 * not there any more under the lock is brought again, a few times.
 */
#include "pages.h"

#include "clock.h"
#include "layout.h"
#include "limits.h"
#include "work.h"

#include <linux/bsearch.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/hugetlb.h>
#include <linux/log2.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/rmap.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/userfaultfd_k.h>

#include "compat.h"

/* Pages handled in one go; bounds the stack. */
#define BATCH		32
/* How often pages are brought that somebody takes away again. */
#define PIN_TRIES	8
/* When a charge is given back for which mmap_lock was not to be had. */
#define RETRY_AFTER	DIV_ROUND_UP(HZ, 10)

/* Device nodes are on a file system of that kind, too: theirs are a driver's pages. */
static bool is_tmpfs_file(const struct inode *inode)
{
	return inode->i_sb->s_magic == TMPFS_MAGIC && S_ISREG(inode->i_mode);
}

static bool vma_countable(struct vm_area_struct *vma)
{
	if (!(vma->vm_flags & VM_WRITE) || (vma->vm_flags & (VM_IO | VM_PFNMAP)))
		return false;
	if (is_vm_hugetlb_page(vma))	/* a private one makes fork fail */
		return vma->vm_flags & VM_SHARED;
	if (vma->vm_file && (vma->vm_flags & VM_SHARED))
		return is_tmpfs_file(file_inode(vma->vm_file));
	return true;
}

/*
 * What a mapping is a mapping of; only ever compared.  A child's copy gives the
 * same value, as fork hands down the root of the anonymous pages' owner.  A
 * mapping that is made anew gives another, unless it is anonymous memory too
 * and the kernel happens to use the freed owner again: then it is taken for the
 * old one, as it was on every Unix, which knew but the address.  What a fork
 * wipes has another owner in the child: the mark of that is all there is to compare.
 */
static u64 vma_identity(struct vm_area_struct *vma)
{
	u64 id = vma->vm_flags & (VM_SHARED | VM_WRITE | VM_HUGETLB | VM_WIPEONFORK);
	const struct anon_vma *anon = READ_ONCE(vma->anon_vma);

	/* Another thread's fault may give it one just now; none takes it away. */
	if (anon && !(vma->vm_flags & VM_WIPEONFORK))
		id = hash_64(id ^ (uintptr_t)anon->root, 64);
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

/* No tick reaches them any more. */
static void unpin_all(struct profil_pins *pins)
{
	unsigned long i, end = pins->layout->pages;
	struct page *pages[BATCH];
	unsigned int n;

	for (i = 0; i < end; ) {
		for (n = 0; n < BATCH && i < end; i++)
			if (pins->page[i])
				pages[n++] = virt_to_page(pins->page[i]);
		unpin_user_pages_dirty_lock(pages, n, true);
		cond_resched();
	}
}

/*
 * Give back what is charged.  Who holds mmap_lock for how long is the owner's
 * affair (a fault may wait for his own file system): he waits for himself,
 * nobody else does.  False: try again later.
 */
static bool uncharge(struct profil_pins *pins, unsigned long pages)
{
	struct mm_struct *mm = pins->mm;

	/* The lock itself: it is for a number, and no mapping changes. */
	if (mm == current->mm)
		down_write(&mm->mmap_lock);
	else if (!down_write_trylock(&mm->mmap_lock))
		return false;
	__account_locked_vm(mm, pages, false, current, true);
	up_write(&mm->mmap_lock);
	profil_user_uncharge_pages(pins->user, pages);
	pins->held -= pages;
	return true;
}

static int charge(struct mm_struct *mm, struct profil_user *user, unsigned long pages,
		  unsigned long overhead)
{
	int err = profil_user_charge_pages(user, pages + overhead);

	if (err)
		return err;
	err = account_locked_vm(mm, pages, true);
	if (err)
		profil_user_uncharge_pages(user, pages + overhead);
	return err;
}

static int compare_spans(const void *key, const void *element)
{
	const struct profil_span *a = key, *b = element;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* The same span of the old pins, if it is there and not off. */
static const struct profil_span *span_of_old(const struct profil_pins *old,
					     const struct profil_span *span)
{
	const struct profil_span *same;

	if (!old)
		return NULL;
	same = bsearch(span, old->layout->spans, old->layout->nr_spans, sizeof(*same),
		       compare_spans);
	if (!same || same->pages != span->pages || !old->page[same->first])
		return NULL;
	return same;
}

/*
 * One region, 32-bit counters that wrap: the tick need not look for the one,
 * nor ask for the other, nor whether the page is there.
 */
static void set_plain(struct profil_pins *pins)
{
	const struct profil_layout *layout = pins->layout;

	if (layout->nr_bins == 1 && layout->how.limit_policy == PROFIL_WRAP)
		profil_bin_plain(&pins->plain, &layout->bin[0]);
}

/* Pages that can be had at once, whoever is asked for them. */
static bool bring_at_once(unsigned long at, unsigned long end)
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

/*
 * Bring pages that a userfaultfd watches, under mmap_lock.  Those that its
 * handler would have to bring, or to release for writing, are not waited for:
 * nobody knows whether it ever will.  Such memory is of no file system that
 * could make the others wait.
 */
static int bring_watched(struct mm_struct *mm, const struct profil_span *span)
{
	unsigned long end = span->start + (span->pages << PAGE_SHIFT);
	struct vm_area_struct *vma;

	mmap_assert_locked(mm);
	for (vma = find_vma(mm, span->start); vma && vma->vm_start < end;
	     vma = find_vma(mm, vma->vm_end))
		if (userfaultfd_armed(vma) &&
		    !bring_at_once(max(vma->vm_start, span->start), min(vma->vm_end, end)))
			return -EFAULT;
	return 0;
}

/*
 * Bring pages.  mmap_lock is given up while one is waited for; they may be gone
 * again when this returns.  Unlike fault_in_safe_writeable(), this tells a
 * machine without memory, which is no reason to turn a region off, from memory
 * that is not there.
 */
static int bring(struct mm_struct *mm, unsigned long start, unsigned long pages)
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

/* Pin all of them or none.  -EAGAIN: the mapping is good, but not all are there. */
static int pin_present(unsigned long start, unsigned long nr, struct page **pages)
{
	long got = profil_pin_user_pages(start, nr, pages, false);

	if (got == nr)
		return 0;
	if (got > 0)
		unpin_user_pages(pages, got);
	memset(pages, 0, nr * sizeof(*pages));
	return got == -ENOMEM || got == -EINTR ? got : -EAGAIN;
}

/* Under one mmap_lock: is it memory to count in, and then pin it. */
static int pin_span_once(struct profil_pins *pins, struct profil_span *span, bool inherited)
{
	struct page **pages = (struct page **)&pins->page[span->first];
	unsigned long i;
	u64 signature;
	int err;

	if (mmap_read_lock_killable(pins->mm))
		return -EINTR;
	err = span_signature(pins->mm, span, &signature);
	if (!err && inherited && signature != span->signature)
		err = -EFAULT;
	if (!err)
		err = pin_present(span->start, span->pages, pages);
	if (err == -EAGAIN)
		err = bring_watched(pins->mm, span) ?: -EAGAIN;
	/* The pages are there now, and so is the identity of a new mapping. */
	if (!err && !inherited)
		err = span_signature(pins->mm, span, &span->signature);
	mmap_read_unlock(pins->mm);
	if (err)
		return err;
	for (i = 0; i < span->pages; i++)
		pins->page[span->first + i] = page_address(pages[i]);
	return 0;
}

static int pin_span(struct profil_pins *pins, struct profil_span *span, bool inherited)
{
	unsigned int tries;
	int err;

	for (tries = 0; tries < PIN_TRIES; tries++) {
		err = pin_span_once(pins, span, inherited);
		if (err == -EAGAIN)
			err = bring(pins->mm, span->start, span->pages) ?: -EAGAIN;
		if (err != -EAGAIN)
			return err;
	}
	return -EFAULT;
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
		err = pin_span(pins, span, inherited);
		/* It was off in the parent, or is now in both. */
		if (err == -EFAULT && inherited && layout->how.flags & PROFIL_FAULT_REGION) {
			profil_pins_slow(pins);
			uncharge(pins, span->pages);
			err = 0;
		}
		if (err)
			return err;
		cond_resched();
	}
	return 0;
}

static unsigned long pages_to_pin(const struct profil_layout *layout,
				  const struct profil_pins *old)
{
	unsigned long pages = layout->pages;
	unsigned int i;

	for (i = 0; old && i < layout->nr_spans; i++)
		if (span_of_old(old, &layout->spans[i]))
			pages -= layout->spans[i].pages;
	return pages;
}

static void give_back(struct profil_pins *pins)
{
	if (!uncharge(pins, pins->held)) {
		queue_delayed_work(profil_wq, &pins->retry, RETRY_AFTER);
		return;
	}
	profil_user_uncharge_pages(pins->user, pins->overhead);
	profil_user_put(pins->user);
	mmdrop(pins->mm);
	profil_layout_put(pins->layout);
	kvfree(pins);
}

/* The layout holds the module meanwhile. */
static void release_work(struct work_struct *work)
{
	give_back(container_of(to_delayed_work(work), struct profil_pins, retry));
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
	unsigned long pages = pages_to_pin(layout, old);
	unsigned long overhead = layout->bytes >> PAGE_SHIFT;
	struct mm_struct *mm = current->mm;
	struct profil_pins *pins;
	unsigned long size;
	int err;

	/* Before anything is allocated for them: there may be a great many. */
	err = charge(mm, user, pages, overhead);
	if (err)
		return ERR_PTR(err);
	err = -ENOMEM;
	/* A PC that a CPU only guesses is led to an element, too: by a mask. */
	size = roundup_pow_of_two(max(layout->pages, 1UL));
	pins = kvzalloc(struct_size(pins, page, size), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!pins)
		goto uncharge;
	pins->user = profil_user_get(user->uid);
	if (!pins->user)
		goto free;
	pins->layout = profil_layout_get(layout);
	pins->mask = size - 1;
	pins->mm = mm;
	mmgrab(mm);
	pins->held = pages;
	pins->overhead = overhead;
	INIT_DELAYED_WORK(&pins->retry, release_work);
	set_plain(pins);
	err = pin_spans(pins, old, inherited);
	if (!err)
		return pins;
	profil_pins_release(pins);
	return ERR_PTR(err);
free:
	kvfree(pins);
uncharge:
	account_locked_vm(mm, pages, false);
	profil_user_uncharge_pages(user, pages + overhead);
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
	unsigned long moved = 0;
	unsigned int i;

	for (i = 0; i < layout->nr_spans; i++) {
		const struct profil_span *span = &layout->spans[i];
		const struct profil_span *same = span_of_old(old, span);

		if (!same)
			continue;
		memset(&old->page[same->first], 0, same->pages * sizeof(*old->page));
		moved += same->pages;
	}
	old->held -= moved;
	pins->held += moved;
	/* The program may have changed its user in between. */
	if (old->user != pins->user)
		profil_user_move_pages(old->user, pins->user, moved);
}

/* Same mapping, other pages (MADV_DONTNEED, say): count in those from now on. */
static void renew(struct profil_pins *pins, unsigned long first, struct page **pages, long nr)
{
	bool stale = false;
	void *address;
	long i;

	for (i = 0; i < nr; i++) {
		address = pins->page[first + i];
		if (address == page_address(pages[i]))
			continue;
		WRITE_ONCE(pins->page[first + i], page_address(pages[i]));
		pages[i] = virt_to_page(address);
		stale = true;
	}
	if (stale)
		profil_clock_sync();
	unpin_user_pages_dirty_lock(pages, nr, stale);
}

/* Under mmap_lock.  -EAGAIN: pages are to be brought first. */
static int check_span_once(struct profil_pins *pins, const struct profil_span *span)
{
	struct page *pages[BATCH];
	unsigned long done = 0;
	u64 signature;
	int err;

	err = span_signature(pins->mm, span, &signature);
	if (err || signature != span->signature)
		return -EFAULT;
	while (done < span->pages) {
		unsigned long nr = min_t(unsigned long, span->pages - done, BATCH);

		err = pin_present(span->start + (done << PAGE_SHIFT), nr, pages);
		if (err)
			return err;
		renew(pins, span->first + done, pages, nr);
		done += nr;
	}
	return 0;
}

static int check_span(struct profil_pins *pins, const struct profil_span *span)
{
	unsigned int tries;
	int err;

	for (tries = 0; tries < PIN_TRIES; tries++) {
		if (mmap_read_lock_killable(pins->mm))
			return -EINTR;
		err = check_span_once(pins, span);
		if (err == -EAGAIN)
			err = bring_watched(pins->mm, span) ?: -EAGAIN;
		mmap_read_unlock(pins->mm);
		if (err == -EAGAIN)
			err = bring(pins->mm, span->start, span->pages) ?: -EAGAIN;
		if (err != -EAGAIN)
			return err;
	}
	return -EFAULT;
}

static void turn_off(struct profil_pins *pins, const struct profil_span *span)
{
	unsigned long i, end = span->first + span->pages;
	struct page *pages[BATCH];
	unsigned int n;

	/* Nobody on the short way, which does not ask whether a page is there. */
	profil_pins_slow(pins);
	profil_clock_sync();
	for (i = span->first; i < end; i++)
		WRITE_ONCE(pins->page[i], pins->page[i] + PROFIL_PAGE_LEAVES);
	profil_clock_sync();
	for (i = span->first; i < end; ) {
		for (n = 0; n < BATCH && i < end; i++) {
			pages[n++] = virt_to_page(pins->page[i] - PROFIL_PAGE_LEAVES);
			WRITE_ONCE(pins->page[i], NULL);
		}
		unpin_user_pages_dirty_lock(pages, n, true);
		cond_resched();
	}
	uncharge(pins, span->pages);
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
 * Return: 0, -EFAULT if a span was turned off by this call, -EINTR, -ENOMEM.
 */
int profil_pins_check(struct profil_pins *pins)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < pins->layout->nr_spans; i++) {
		const struct profil_span *span = &pins->layout->spans[i];
		int err;

		if (!pins->page[span->first] || span_same(pins, span))
			continue;	/* known to be off; or as it was */
		err = check_span(pins, span);
		if (err == -EFAULT)
			turn_off(pins, span);
		if (err)
			ret = err;
		if (err && err != -EFAULT)
			break;		/* not known: next time */
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
	unpin_all(pins);
	give_back(pins);
}
