// SPDX-License-Identifier: GPL-2.0-only
/* Until 6.4, pin_user_pages_fast_only() pinned pages without mmap_lock. */
#include <linux/mm.h>

static int pin(unsigned long start, int nr, struct page **pages)
{
	return pin_user_pages_fast_only(start, nr, FOLL_WRITE, pages);
}

int (*use)(unsigned long start, int nr, struct page **pages) = pin;
