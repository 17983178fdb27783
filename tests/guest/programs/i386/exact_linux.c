/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Also compiled with _TIME_BITS=64, which makes struct timeval longer. */
#include <profil/linux.h>

#include "tests/guest/programs/i386/exact.h"

static void histogram(volatile unsigned short *counters)
{
	/*
	 * The distance is halved first, so with scale 0x8000 a counter covers four bytes of text.
	 */
	REQUIRE(profil((unsigned short *)counters, 16, loop - 8, 0x8000) == 0);
	REQUIRE(status().period == 10000000);
	SPIN_UNTIL(counters[2] >= 3);
	REQUIRE_ALL_IN(counters[2]);
	REQUIRE(only(counters, 16, 2));
	REQUIRE(ERROR_OF(profil(nowhere(), 16, loop, 0x8000)) == EFAULT);
	REQUIRE(ERROR_OF(profil((unsigned short *)((char *)counters + 1), 16, loop, 0x8000)) == EINVAL);
	REQUIRE(!is_off());
	REQUIRE(profil(NULL, 0, 0, 0) == 0 && is_off());
}

static void regions(volatile unsigned int *counters)
{
	struct prof list[2] = {
		{ .pr_base = (void *)(counters + 8), .pr_size = 4, .pr_off = 0, .pr_scale = 2 },
		{ .pr_base = (void *)(counters + 1), .pr_size = 16, .pr_off = loop - 8, .pr_scale = 0x10000 },
	};
	struct {
		struct timeval between;
		uint32_t after;
	} told;

	memset(&told, 0xa5, sizeof(told));
	REQUIRE(sprofil(list, 2, &told.between, PROF_UINT) == 0);
	REQUIRE(told.between.tv_sec == 0 && told.between.tv_usec == 10000 && told.after == 0xa5a5a5a5);
	SPIN_UNTIL(counters[3] >= 3);
	REQUIRE_ALL_IN(counters[3] + counters[8]);
	REQUIRE(!counters[0] && !counters[1] && !counters[2] && !counters[4] && !counters[5] && !counters[9]);
	counters[3] = UINT32_MAX;
	SPIN_UNTIL(status().saturated >= 2);
	REQUIRE(counters[3] == UINT32_MAX);

	REQUIRE(ERROR_OF(sprofil(list, -1, NULL, PROF_UINT)) == EINVAL);
	REQUIRE(ERROR_OF(sprofil(list, 2, nowhere(), PROF_UINT)) == EFAULT);
	REQUIRE(ERROR_OF(sprofil(nowhere(), 2, NULL, PROF_UINT)) == EFAULT);
	/* The list alone would take 32 GiB. */
	REQUIRE(ERROR_OF(sprofil(list, INT_MAX, NULL, PROF_UINT)) == ENOMEM);
	REQUIRE(!is_off());
	REQUIRE(sprofil(NULL, 0, NULL, 0) == 0 && is_off());
}

static void run(void)
{
	void *const counters = high_counters();

	histogram(counters);
	memset(counters, 0, PAGE);
	regions(counters);
}
