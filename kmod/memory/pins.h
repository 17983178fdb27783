/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pins: the pinned pages of the counters, as the tick reaches them.
 *
 * Context: any
 */
#ifndef PROFIL_PINS_H
#define PROFIL_PINS_H

#include "memory/layout.h"

#include <linux/compiler.h>
#include <linux/container_of.h>

#include <asm/page.h>

struct cred;
struct mm_struct;
struct mutex;
struct page;
struct profil_user;

/**
 * struct profil_pins - the pinned pages of one profile
 * @gate: points to the caller's gate in @gate_page; to @gate_value if the
 *	caller has no gate, and to @gate_lost if the gate's page is gone
 * @gate_value: value of the gate with which the profile counts
 * @gate_lost: any other value
 * @mask: number of elements of @page minus 1; that number is a power of two, so the last
 *	elements may have no page
 * @fast: ticks may take the fast path: there are regions or samples, and nothing is off
 * @holes: with PROFIL_FAULT_REGION, a bit for each region of @layout, and one for the overflow
 *	counter: set if it is off; else NULL
 * @layout: the layout, whose positions refer to these pages; referenced
 * @lock: the profile's lock; guards @page, @gate_page, @held and @gone of published pins
 * @gone: the profile no longer has these pins
 * @refs: references from the profile, and from tasks that look at the memory without @lock
 * @mm: the address space that has the pages, grabbed
 * @user: the account that is charged, referenced
 * @locker: credentials of the user whose RLIMIT_MEMLOCK is charged, referenced; NULL: the caller
 *	had CAP_IPC_LOCK.  (Credentials, because Linux 6.1.176 does not export free_uid().)
 * @held: number of pages that are pinned, and charged to @mm, @user and @locker
 * @overhead: number of pages charged to @user only: kernel memory, and the gate's page
 * @gate_page: the gate's page, pinned; NULL: there is no gate, or its page is gone
 * @page: kernel address of each page, in the order of the layout's spans.  All pages of a table
 *	are pinned; in a self profile, NULL means that a page is not pinned.  Written by the
 *	holder of @lock with WRITE_ONCE, read by the tick.
 */
struct profil_pins {
	u32 *gate;
	u32 gate_value;
	u32 gate_lost;
	unsigned long mask;
	bool fast;
	unsigned long *holes;
	struct profil_layout *layout;
	struct mutex *lock;	/* see the kernel-doc above */
	bool gone;
	refcount_t refs;
	struct mm_struct *mm;
	struct profil_user *user;
	const struct cred *locker;
	unsigned long held;
	unsigned long overhead;
	struct page *gate_page;
	void *page[];
};

/**
 * profil_pins_open() - is the gate as it was at the start?
 * @pins: the pins, kept from being freed: the caller is in a section, or holds the lock of their
 *	profile, or of the bucket through which a probe has found the profile
 *
 * Context: Any.
 * Return: false if nothing may be counted any more.
 */
static inline bool profil_pins_open(const struct profil_pins *pins)
{
	return READ_ONCE(*READ_ONCE(pins->gate)) == pins->gate_value;
}

/**
 * profil_pins_gate() - find the program's gate
 * @pins: as for profil_pins_open()
 *
 * Context: Any.
 * Return: the gate, which the program may change at any time, or NULL.
 */
static inline struct profil_gate *profil_pins_gate(const struct profil_pins *pins)
{
	u32 *gate = READ_ONCE(pins->gate);

	if (gate == &pins->gate_value || gate == &pins->gate_lost)
		return NULL;
	return container_of(gate, struct profil_gate, value);
}

/**
 * profil_pins_slow() - disable the tick's fast path
 * @pins: published or not
 *
 * Context: Any, hard interrupt included.
 */
static inline void profil_pins_slow(struct profil_pins *pins)
{
	WRITE_ONCE(pins->fast, false);
}

/* pages.c */
struct profil_pins *profil_pins_create(struct profil_layout *layout, struct mutex *lock,
				       struct profil_user *user);
int profil_pins_check(struct profil_pins *pins);
int profil_pins_recheck(struct profil_pins *pins);
void profil_pins_forget(struct profil_pins *pins);
void profil_pins_put(struct profil_pins *pins);
void profil_pins_release(struct profil_pins *pins);
void profil_page_unpin(struct page *page);

/* pin.c */
int profil_pages_pin(unsigned long at, unsigned long nr, struct page **pages, bool *lent);
void profil_page_unlend(struct page *page);
bool profil_page_same(unsigned long at, const void *page);
int profil_charge_locked(struct profil_pins *pins, unsigned long pages);
int profil_charge_pages(struct profil_pins *pins, unsigned long pages);
void profil_charge_return(struct profil_pins *pins, unsigned long pages);

#endif /* PROFIL_PINS_H */
