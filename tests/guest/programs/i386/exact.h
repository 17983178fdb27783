/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file tests/guest/programs/i386/exact.h  Shared by the 32-bit programs that call libprofil.
 *
 * Their loop and their counters are above 2 GiB, where sign extension changes an address.  They
 * print "ok", or the condition that failed.
 */
#include <errno.h>
#include <limits.h>
#include <profil.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/guest/programs/require.h"
#include "tests/guest/support/machine_code.h"

/** Run the loop until the condition holds. */
#define SPIN_UNTIL(condition)           \
	do                              \
		code_run(loop, 500000); \
	while (!(condition))

/** The errno of an expression, or 0. */
#define ERROR_OF(call) (errno = 0, (void)(call), errno)

/** Require that every counted tick of the profile is in this counter. */
#define REQUIRE_ALL_IN(counter)                      \
	do {                                         \
		uint64_t in_it, counted_;            \
		do {                                 \
			in_it = (counter);           \
			counted_ = status().counted; \
		} while (in_it != (counter));        \
		REQUIRE(in_it == counted_);          \
	} while (0)

enum { PAGE = 4096 };

static const uintptr_t loop = 0xc0000400;

/* Map a page at an address that must be free. */
static void *page_at(uintptr_t address, int protection)
{
	void *at = mmap((void *)address, PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
			-1, 0);

	REQUIRE(at == (void *)address);
	return at;
}

/** Zeroed memory for counters. */
static inline void *high_counters(void)
{
	return page_at(0xa0000000, PROT_READ | PROT_WRITE);
}

/** Memory that cannot be written. */
static inline void *read_only(void)
{
	return page_at(0xb0000000, PROT_READ);
}

/** An address where nothing is mapped. */
static inline void *nowhere(void)
{
	return (void *)0xb8000000;
}

static void plant_loop(void)
{
	char *at = page_at(loop & -PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);

	memcpy(at + loop % PAGE, code_loop, sizeof(code_loop));
	code_written(at + loop % PAGE, sizeof(code_loop));
}

/** The status of this process's profile. */
static inline struct profil_status status(void)
{
	struct profil_status found = {.size = sizeof(found)};

	REQUIRE(profil_self_get_status(&found) == 0);
	return found;
}

static inline int is_off(void)
{
	return status().state == PROFIL_STATE_NONE;
}

/** True if all of the first @p nr counters except this one are zero. */
static inline int only(const volatile unsigned short *counters, size_t nr, size_t index)
{
	for (size_t i = 0; i < nr; i++)
		if (i != index && counters[i])
			return 0;
	return 1;
}

static void run(void);

int main(void)
{
	plant_loop();
	run();
	puts("ok");
	return 0;
}
