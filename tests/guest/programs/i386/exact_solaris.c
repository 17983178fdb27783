/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pcsample.h>
#include <profil/solaris.h>

#include "tests/guest/programs/i386/exact.h"

static void histogram(void)
{
	volatile unsigned short *const counters = high_counters();

	/* Four bytes of text for each counter; the loop begins eight bytes above. */
	REQUIRE(ERROR_OF(profil((unsigned short *)counters, 16, loop - 8, 0x8000)) == 0);
	REQUIRE(status().period == 10000000);
	SPIN_UNTIL(counters[2] >= 3);
	REQUIRE_ALL_IN(counters[2]);
	REQUIRE(only(counters, 16, 2));
	counters[2] = 32766;
	SPIN_UNTIL(status().state == PROFIL_STATE_LIMIT);
	REQUIRE(counters[2] == 32767);

	REQUIRE(ERROR_OF(profil(nowhere(), 16, loop, 0x8000)) == 0 && !is_off());
	SPIN_UNTIL(status().state == PROFIL_STATE_FAULT);
	REQUIRE(ERROR_OF(profil((unsigned short *)counters, 16, loop, 0x8000)) == 0 && !is_off());
	REQUIRE(ERROR_OF(profil((unsigned short *)counters, 16, loop, 1)) == 0 && is_off());
}

static unsigned int nr_at_loop(const volatile uintptr_t *array, unsigned int nr)
{
	unsigned int found = 0;

	for (unsigned int i = 0; i < nr; i++)
		found += array[i] == loop || array[i] == loop + CODE_LOOP_RETURN;
	return found;
}

/* The samples are elements as large as a pointer. */
static void samples(void)
{
	volatile uintptr_t *const array = (volatile uintptr_t *)0xa0000800;
	volatile uintptr_t *const last = array + 511;
	long stored;

	REQUIRE(pcsample((uintptr_t *)array, 511) == 0);
	SPIN_UNTIL(nr_at_loop(array, 511) >= 4);
	stored = pcsample(NULL, 0);
	REQUIRE(stored >= 4 && stored <= 511);
	for (long i = 0; i < 511; i++)
		REQUIRE(!array[i] == (i >= stored));

	*last = 0xa5a5a5a5;
	REQUIRE(pcsample((uintptr_t *)last - 8, 8) == 0);
	SPIN_UNTIL(status().state == PROFIL_STATE_FULL);
	REQUIRE(status().stored == 8);
	REQUIRE(pcsample(NULL, 0) == 8);
	REQUIRE(pcsample(NULL, 0) == 0);
	REQUIRE(last[-8] && last[-1] && *last == 0xa5a5a5a5);

	REQUIRE(ERROR_OF(pcsample((uintptr_t *)array, -1)) == EINVAL);
	/* The array is checked only when an element is to be stored. */
	memset((void *)array, 0, 512 * sizeof *array);
	REQUIRE(pcsample((uintptr_t *)array, LONG_MAX) == 0);
	SPIN_UNTIL(array[2]);
	REQUIRE(pcsample(nowhere(), 8) >= 3);
	SPIN_UNTIL(status().state == PROFIL_STATE_FAULT);
	REQUIRE(pcsample(read_only(), 8) == 0);
	SPIN_UNTIL(status().state == PROFIL_STATE_FAULT);
	REQUIRE(pcsample(NULL, 0) == 0);
}

static void run(void)
{
	histogram();
	samples();
}
