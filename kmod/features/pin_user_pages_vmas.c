// SPDX-License-Identifier: GPL-2.0-only
/* Until 6.4, pin_user_pages() could also return the pages' VMAs. */
#include <linux/mm.h>

static long pin(unsigned long start, unsigned long nr, struct page **pages)
{
	return pin_user_pages(start, nr, FOLL_WRITE, pages, NULL);
}

long (*use)(unsigned long start, unsigned long nr, struct page **pages) = pin;
