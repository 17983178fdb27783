// SPDX-License-Identifier: GPL-2.0-or-later
/* Two functions of known lengths: 90,000,000 instructions, and 30,000,000. */
#include "tests/guest/support/machine_code.h"

__attribute__((noipa)) static void long_loop(void)
{
	code_count_down(45000000);
}

__attribute__((noipa)) static void short_loop(void)
{
	code_count_down(15000000);
}

int main(void)
{
	long_loop();
	short_loop();
	return 0;
}
