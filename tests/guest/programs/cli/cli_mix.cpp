// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/programs/cli/cli_mix.cpp  Work of a known size in two functions: cli_mix ROUNDS HOT COLD
 *
 *   ROUNDS  number of rounds, each of HOT calls of mix_hot() and then COLD calls of mix_cold()
 *
 * Each call executes the same number of instructions.  After the last one, the program prints a
 * line, and sleeps until it is killed.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace {

volatile uint64_t sink;

} // namespace

#define MIXER(name)                            \
	__attribute__((noinline)) void name()  \
	{                                      \
		for (int i = 0; i < 4000; i++) \
			sink = sink * 3 + 1;   \
	}

MIXER(mix_hot)
MIXER(mix_cold)

int main(int argc, char **argv)
{
	if (argc != 4) {
		std::fprintf(stderr, "usage: cli_mix ROUNDS HOT COLD\n");
		return 2;
	}
	const int rounds = std::atoi(argv[1]), hot = std::atoi(argv[2]), cold = std::atoi(argv[3]);

	for (int round = 0; round < rounds; round++) {
		for (int i = 0; i < hot; i++)
			mix_hot();
		for (int i = 0; i < cold; i++)
			mix_cold();
	}
	std::puts("done");
	std::fflush(stdout);
	for (;;)
		pause();
}
