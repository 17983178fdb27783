/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <profil/aix.h>

#include "tests/guest/programs/i386/exact.h"

static void histogram(volatile unsigned short *counters)
{
	/*
	 * The loop is seven bytes above the offset, which AIX rounds up to the third counter; only
	 * 16 bits of the scale matter.
	 */
	REQUIRE(ERROR_OF(profil((unsigned short *)counters, 16, loop - 7, 0x18000)) == 0);
	SPIN_UNTIL(counters[2] >= 3);
	REQUIRE_ALL_IN(counters[2]);
	REQUIRE(only(counters, 16, 2));
	counters[2] = 65535;
	SPIN_UNTIL(status().saturated >= 2);
	REQUIRE(counters[2] == 65535);
	REQUIRE(ERROR_OF(profil((unsigned short *)counters, 0, 0, 0)) == 0 && is_off());
	REQUIRE(ERROR_OF(profil(nowhere(), 16, loop, 0x8000)) == EFAULT && is_off());
	REQUIRE(ERROR_OF(profil((unsigned short *)((char *)counters + 1), 16, loop, 0x8000)) == EINVAL);
}

static void ranges(volatile unsigned short *counters)
{
	char *const low = (char *)loop;
	struct prof list[3] = {
		{ .p_low = low - 64, .p_high = low, .p_buff = (HISTCOUNTER *)counters + 32, .p_bufsize = 64, .p_scale = -1 },
		/* With -1 the scale is computed from both sizes: a counter for four bytes. */
		{ .p_low = low, .p_high = low + 32, .p_buff = (HISTCOUNTER *)counters + 1, .p_bufsize = 16, .p_scale = -1 },
		{ .p_high = NULL },
	};

	REQUIRE(ERROR_OF(profil((unsigned short *)list, -1, 0, 0)) == 0);
	SPIN_UNTIL(counters[1] >= 3);
	/* The loop's return, two bytes above, may be rounded up to the next counter. */
	REQUIRE_ALL_IN(counters[1] + counters[2]);
	REQUIRE(!counters[0] && only(counters + 3, 61, 61));
	REQUIRE(ERROR_OF(profil((unsigned short *)&list[2], -1, 0, 0)) == 0 && is_off());
	REQUIRE(ERROR_OF(profil(nowhere(), -1, 0, 0)) == EFAULT);
	list[1].p_high = low;
	REQUIRE(ERROR_OF(profil((unsigned short *)list, -1, 0, 0)) == EINVAL && is_off());
}

static void run(void)
{
	void *const counters = high_counters();

	histogram(counters);
	memset(counters, 0, PAGE);
	ranges(counters);
}
