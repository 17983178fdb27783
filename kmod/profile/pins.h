/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pins: the pinned pages of the counters, as the tick reaches them.
 *
 * Context: any
 */
#ifndef PROFIL_PINS_H
#define PROFIL_PINS_H

#include "tick/bin.h"

#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#define PROFIL_PAGE_LEAVES	1UL

struct mm_struct;
struct profil_layout;
struct profil_user;

/**
 * struct profil_pins - the pinned pages of one profile
 * @plain: the layout's only region, if the tick has a fast path for it; its span is
 *	0 if there is none, or the fast path is disabled
 * @mask: elements of @page minus 1; their number is a power of two, the last ones
 *	have no page
 * @layout: its positions refer to these pages; referenced
 * @mm: the memory they are pages of, grabbed
 * @user: the account that is charged, referenced
 * @held: pages that are pinned, and charged to @mm and @user
 * @overhead: pages of memory for the layout, charged to @user only
 * @retry: uncharges later what could not be uncharged at the release
 * @page: kernel address of each page, in the order of the layout's spans; see
 *	profil_page_is_off().  Written by the holder of the profile's lock with
 *	WRITE_ONCE, read by the tick.
 */
struct profil_pins {
	struct profil_plain plain;
	unsigned long mask;
	struct profil_layout *layout;
	struct mm_struct *mm;
	struct profil_user *user;
	unsigned long held;
	unsigned long overhead;
	struct delayed_work retry;
	void *page[];
};

/**
 * profil_page_is_off() - has a page been turned off?
 * @page: of &struct profil_pins: the page's address; NULL if it is off, odd while
 *	it is being turned off
 *
 * Context: Any.
 * Return: true if nothing may be counted there.
 */
static inline bool profil_page_is_off(const void *page)
{
	return !page || ((unsigned long)page & PROFIL_PAGE_LEAVES);
}

/**
 * profil_pins_slow() - disable the tick's fast path
 * @pins: published or not
 *
 * Context: Any, hard interrupt included.
 */
static inline void profil_pins_slow(struct profil_pins *pins)
{
	WRITE_ONCE(pins->plain.span, 0);
}

#endif /* PROFIL_PINS_H */
