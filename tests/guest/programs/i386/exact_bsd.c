/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <profil/bsd.h>

#include "tests/guest/programs/i386/exact.h"

static void run(void)
{
	volatile unsigned short *const counters = high_counters();
	char *const first = (char *)counters, *const second = first + 64;

	REQUIRE(profil(first, 16, loop - 4096, 0x8000) == 0);
	REQUIRE(add_profil(second, 16, loop - 8, 0x8000) == 0);
	SPIN_UNTIL(counters[32 + 2] >= 3);
	REQUIRE_ALL_IN(counters[32 + 2]);
	REQUIRE(only(counters, 64, 32 + 2));
	counters[32 + 2] = 65535;
	SPIN_UNTIL(counters[32 + 2] < 1000);

	REQUIRE(ERROR_OF(profil(first, 16, loop, 0x10001)) == EINVAL && !is_off());
	REQUIRE(ERROR_OF(add_profil(second + 1, 16, loop, 0x8000)) == EINVAL && !is_off());
	REQUIRE(ERROR_OF(add_profil(nowhere(), 16, loop - 64, 0x8000)) == 0 && !is_off());
	REQUIRE(ERROR_OF(profil(nowhere(), 16, loop, 0x8000)) == EFAULT && is_off());
	/* With scale 1, a counter covers 128 KiB of text. */
	memset((void *)counters, 0, PAGE);
	REQUIRE(profil(first, 16, (loop & -0x20000) - 3 * 0x20000, 1) == 0);
	SPIN_UNTIL(counters[3] >= 3);
	REQUIRE_ALL_IN(counters[3]);
	REQUIRE(profil(first, 16, 0, 0) == 0 && is_off());
}
