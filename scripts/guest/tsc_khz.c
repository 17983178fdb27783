// SPDX-License-Identifier: GPL-2.0-or-later
// The frequency of this machine's TSC in kHz, measured for 200 ms.
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

int main(void)
{
	const uint64_t begin = now_ns(), tsc = __rdtsc();
	uint64_t end;

	do {
		end = now_ns();
	} while (end < begin + 200000000);
	printf("%.0f\n", (__rdtsc() - tsc) * 1e6 / (end - begin));
	return 0;
}
