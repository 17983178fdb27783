// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/programs/record_library.c  A library that tests copy, load and
 * unload.
 */
void record_library_spin(unsigned long times);

void record_library_spin(unsigned long times)
{
	volatile unsigned long i;

	for (i = 0; i < times; i++)
		;
}
