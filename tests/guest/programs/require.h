/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file tests/guest/programs/require.h  Checks a condition in a 32-bit program: if it does not
 * hold, the program prints it and exits.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

_Static_assert(sizeof(void *) == 4, "this is a 32-bit program");

#define REQUIRE(condition)                                                                  \
	do {                                                                                \
		if (!(condition)) {                                                         \
			printf("%d: not so: %s (errno %d)\n", __LINE__, #condition, errno); \
			exit(1);                                                            \
		}                                                                           \
	} while (0)
