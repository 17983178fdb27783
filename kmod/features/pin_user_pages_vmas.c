// SPDX-License-Identifier: GPL-2.0-only
/* Before 6.5, pin_user_pages() could also return the VMAs of the pages. */
#include <linux/mm.h>

static long pin(unsigned long start, unsigned long nr, struct page **pages)
{
	return pin_user_pages(start, nr, FOLL_WRITE, pages, NULL);
}

long (*use)(unsigned long start, unsigned long nr, struct page **pages) = pin;
