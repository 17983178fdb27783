// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/data/annotate.cpp  A program with loops, for annotate.  Keep its line numbers.
 *  It has no headers, so that it compiles for other machines without their C++ library. */
extern "C" int printf(const char *format, ...);
extern "C" unsigned long strtoul(const char *text, char **end, int base);

static inline __attribute__((always_inline)) unsigned long mix(unsigned long value)
{
	value ^= value << 13;
	return value ^ (value >> 7);
}

__attribute__((noinline)) unsigned long nested(unsigned long rounds)
{
	unsigned long sum = rounds;

	for (unsigned long i = 0; i < rounds; i++) {
		for (unsigned long j = 0; j < i; j++)
			sum = mix(sum);
		sum += i;
	}
	for (unsigned long i = 0; i < rounds; i++)
		sum = sum * 3 + 1;
	return sum;
}

__attribute__((noinline)) unsigned long straight(unsigned long value)
{
	return mix(value) + 1;
}

int main(int argc, char **argv)
{
	const unsigned long rounds = argc > 1 ? strtoul(argv[1], nullptr, 10) : 10;

	printf("%lu\n", nested(rounds) + straight(rounds));
	return 0;
}
