/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Also compiled with _TIME_BITS=64, which makes struct timeval longer. */
#include <profil/irix.h>

#include "tests/guest/programs/i386/exact.h"

static void run(void)
{
	volatile unsigned int *const counters = high_counters();
	struct prof list[2] = {
		{ .pr_base = (void *)(counters + 1), .pr_size = 16, .pr_off = loop - 9, .pr_scale = 0x10000 },
		{ .pr_base = (void *)(counters + 8), .pr_size = 4, .pr_off = 0, .pr_scale = 2 },
	};
	struct {
		struct timeval between;
		uint32_t after;
	} told;

	memset(&told, 0xa5, sizeof(told));
	REQUIRE(sprofil(list, 2, &told.between, PROF_UINT | PROF_FAST) == 0);
	REQUIRE(told.between.tv_sec == 0 && told.between.tv_usec == 1000 && told.after == 0xa5a5a5a5);
	REQUIRE(status().period == 1000000);
	SPIN_UNTIL(counters[3] >= 10);
	REQUIRE_ALL_IN(counters[3] + counters[8]);
	REQUIRE(!counters[0] && !counters[1] && !counters[2] && !counters[4] && !counters[5] && !counters[9]);
	/* 32-bit counters wrap. */
	counters[3] = UINT32_MAX;
	SPIN_UNTIL(counters[3] < 1000);

	REQUIRE(ERROR_OF(sprofil(list, 0, NULL, PROF_UINT)) == E2BIG);
	REQUIRE(ERROR_OF(sprofil(nowhere(), 1, NULL, PROF_UINT)) == EFAULT);
	REQUIRE(ERROR_OF(sprofil(list, 2, nowhere(), PROF_UINT)) == EFAULT);
	REQUIRE(ERROR_OF(sprofil(list, 2, NULL, 0)) == EINVAL);
	REQUIRE(!is_off());
	REQUIRE(profil(nowhere(), 16, loop, 0x8000) == 0 && !is_off());
	SPIN_UNTIL(status().state == PROFIL_STATE_FAULT);
	memset((void *)counters, 0, PAGE);
	REQUIRE(profil((unsigned short *)counters, 16, loop - 8, 0x8000) == 0);
	SPIN_UNTIL(((volatile unsigned short *)counters)[2] >= 3);
	REQUIRE(only((volatile unsigned short *)counters, 16, 2));
	REQUIRE(profil(NULL, 0, 0, 0) == 0 && is_off());
}
