/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A shared object with its own text and calls. */
static volatile unsigned long sink;

__attribute__((noinline)) static void leaf_object(void)
{
	sink++;
}

void hot_object(unsigned long rounds);
void hot_object(unsigned long rounds)
{
	leaf_object();
	while (rounds--)
		sink++;
}
