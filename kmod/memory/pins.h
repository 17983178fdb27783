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
 *	caller has no gate, and to @gate_lost if its page is gone
 * @gate_value: what it must be for the profile to count
 * @gate_lost: another value
 * @mask: elements of @page minus 1; their number is a power of two, the last ones
 *	have no page
 * @fast: the tick may take its fast path: there are regions, and none is off
 * @holes: PROFIL_FAULT_REGION: a bit for each region of @layout that is off, and one for the
 *	overflow counter; else NULL
 * @layout: its positions refer to these pages; referenced
 * @lock: their profile's; guards @page, @gate_page, @held and @gone once they are published
 * @gone: they are no longer their profile's
 * @refs: the profile's, and those of tasks that look at the memory without @lock
 * @mm: the memory they are pages of, grabbed
 * @user: the account that is charged, referenced
 * @locker: credentials of the user whose RLIMIT_MEMLOCK is charged, referenced; NULL: none is,
 *	as the caller had CAP_IPC_LOCK.  (Linux 6.1.176 does not export free_uid().)
 * @held: pages that are pinned, and charged to @mm, @user and @locker
 * @overhead: pages of memory for the layout, and the gate's, charged to @user only
 * @gate_page: the gate's page, pinned; NULL: there is no gate, or its page is gone
 * @page: kernel address of each page, in the order of the layout's spans.  Of a table, all are
 *	there; of a self profile, NULL is not pinned yet.  Written by the holder of @lock with
 *	WRITE_ONCE, read by the tick.
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
 * @pins: which cannot be freed: in a section, or under the lock of their profile or of the bucket
 *	through which a probe has found it
 *
 * Context: Any.
 * Return: false if nothing may be counted any more.
 */
static inline bool profil_pins_open(const struct profil_pins *pins)
{
	return READ_ONCE(*READ_ONCE(pins->gate)) == pins->gate_value;
}

/**
 * profil_pins_gate() - the caller's gate
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
