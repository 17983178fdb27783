// SPDX-License-Identifier: GPL-2.0-or-later
/* Causes events in known numbers: page faults in two functions, and writes of a variable in one. */
#include <stdio.h>
#include <sys/mman.h>

#define PAGE 4096
#define ROUNDS 5

volatile long watched __attribute__((aligned(8)));

/* One page fault for each page: 2,000 in each round. */
__attribute__((noipa)) static void fill_pages(char *pages, int count)
{
	for (int i = 0; i < count; i++)
		((volatile char *)pages)[i * PAGE] = 1;
}

/*
 * 1,000 faults in each round.  They map the zero page, so a later write to a page is another fault.
 */
__attribute__((noipa)) static void read_pages(const char *pages, int count)
{
	for (int i = 0; i < count; i++)
		(void)((const volatile char *)pages)[i * PAGE];
}

__attribute__((noipa)) static void write_watched(int count)
{
	for (int i = 0; i < count; i++)
		watched = i;
}

int main(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		char *pages = mmap(NULL, 2000 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (pages == MAP_FAILED)
			return 1;
		madvise(pages, 2000 * PAGE, MADV_NOHUGEPAGE);
		read_pages(pages, 1000);
		fill_pages(pages, 2000);
		munmap(pages, 2000 * PAGE);
	}
	write_watched(700);
	return 0;
}
