/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <profil/tru64.h>

#include "tests/guest/programs/i386/exact.h"

static void histogram(volatile unsigned short *counters)
{
	/* The loop is seven bytes above the offset, which Tru64 rounds up to the third counter. */
	REQUIRE(ERROR_OF(profil((void *)counters, 16, loop - 7, 0x8000)) == 0);
	REQUIRE(status().period == 1000000000 / 1024);
	SPIN_UNTIL(counters[2] >= 3);
	REQUIRE_ALL_IN(counters[2]);
	REQUIRE(only(counters, 16, 2));
	REQUIRE(ERROR_OF(profil(nowhere(), 16, loop, 0x8000)) == 0 && !is_off());
	SPIN_UNTIL(status().state == PROFIL_STATE_FAULT);
}

static void ranges(volatile unsigned int *counters)
{
	char *const low = (char *)loop - 8;
	struct profil_args list[2] = {
		{ .buffer = (unsigned int *)counters + 1, .lowpc = low, .highpc = low + 15, .offset = low, .scale = 0x10000 },
		{ .buffer = (unsigned int *)counters + 8, .lowpc = low - 64, .highpc = low - 1, .offset = low - 64, .scale = 2 },
	};
	struct profil_args_v5 old = {
		.buffer = (unsigned int *)counters + 1, .lowpc = low, .highpc = low + 15, .scale = 0x10000,
	};

	REQUIRE(ERROR_OF(profil(list, 2, -1, 0)) == 0);
	SPIN_UNTIL(counters[3] >= 3);
	REQUIRE_ALL_IN(counters[3]);
	REQUIRE(!counters[0] && !counters[1] && !counters[2] && !counters[4] && !counters[5] && !counters[8]);
	counters[3] = 0;
	REQUIRE(ERROR_OF(profil_v5(&old, 1, -1, PROFIL_FLAGS_ALL_THREADS)) == 0);
	SPIN_UNTIL(counters[3] >= 3);
	REQUIRE_ALL_IN(counters[3]);

	REQUIRE(ERROR_OF(profil(list, 0, -1, 0)) == EINVAL);
	REQUIRE(ERROR_OF(profil(list, 2, -1, 2)) == EINVAL);
	REQUIRE(ERROR_OF(profil(nowhere(), 2, -1, 0)) == EFAULT);
	list[0].highpc = (void *)-1;
	REQUIRE(ERROR_OF(profil(list, 1, (void *)-1, 0)) == EINVAL);
	list[0].highpc = low - 1;
	REQUIRE(ERROR_OF(profil(list, 1, -1, 0)) == EINVAL);
	REQUIRE(!is_off());
	REQUIRE(ERROR_OF(profil(0, 0, 0, 0)) == 0 && is_off());
}

static void run(void)
{
	void *const counters = high_counters();

	histogram(counters);
	memset(counters, 0, PAGE);
	ranges(counters);
}
