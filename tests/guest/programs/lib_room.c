/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linked with libprofil.a, and loads the shared library (its first argument).  Before it calls
 * either, it occupies the addresses at which copies meet, as the second argument says: "reserved",
 * "zeroes", or "none", after which no more memory can be mapped at all.  Exit status 0: each copy
 * turned off what the other had turned on.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

typedef int profil_t(unsigned short *, size_t, size_t, unsigned int);
profil_t profil_linux;

static unsigned short counter;

/* Scale 1 counts 128 KiB of text in the counter. */
static void on(profil_t *call)
{
	if (call(&counter, sizeof counter, (size_t)on & ~0xffffUL, 1))
		perror("profil");
}

static int counts(void)
{
	const unsigned short before = *(volatile unsigned short *)&counter;
	const clock_t end = clock() + CLOCKS_PER_SEC / 10;
	volatile int n;

	while (clock() < end)
		for (n = 0; n < 100000; n++)
			;
	return *(volatile unsigned short *)&counter != before;
}

static int take(const char *how)
{
	const struct rlimit none = { 0, 0 };
	const int protection = strcmp(how, "zeroes") ? PROT_NONE : PROT_READ | PROT_WRITE;
	char *const start = (char *)0x1800000000;

	if (!strcmp(how, "none"))
		return setrlimit(RLIMIT_AS, &none);
	return mmap(start, (1UL << 38) + 4096, protection,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) != start;
}

int main(int argc, char **argv)
{
	void *const library = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	profil_t *const shared = library ? (profil_t *)dlsym(library, "profil_linux") : NULL;
	profil_t *const copies[] = { profil_linux, shared };
	int i, wrong = 0;

	if (!shared || shared == profil_linux || take(argv[2])) {
		perror("lib_room");
		return 2;
	}
	for (i = 0; i < 4; i++) {
		on(copies[i & 1]);
		if (!counts())
			wrong = printf("%d: off, but on\n", i);
		copies[!(i & 1)](NULL, 0, 0, 0);
		if (counts())
			wrong = printf("%d: on, but off\n", i);
	}
	return wrong ? 1 : 0;
}
