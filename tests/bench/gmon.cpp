// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/gmon.cpp  The cost of -pg: this program is compiled with and without it.
 *
 * Usage: gmon DIRECTORY
 * Prints, as cost does: samples-gmon METHOD 0 1 NS 1 SAMPLES CPU-NS and
 * calls METHOD 0 1 NS CALLS 0 CPU-NS; METHOD is pg, or none without it.
 * The samples are read from the gmon.out that the program leaves in DIRECTORY;
 * their rate is that of libc, 100 Hz.
 */
#include "tests/bench/bench.h"

#include <fstream>
#include <unistd.h>

/* A function of libc: ends the profile of a program compiled with -pg, and writes gmon.out. */
extern "C" void _mcleanup();

namespace {

using bench::now;

#ifdef GMON
constexpr bool profiled = true;
#else
constexpr bool profiled = false;
#endif

constexpr unsigned runs = 3;
constexpr long iterations = 150'000'000;
constexpr long calls = 1'000'000;

[[gnu::noinline, gnu::no_instrument_function]] void burn(long n)
{
	asm volatile("1: dec %0; jnz 1b" : "+r"(n) : : "cc");
}

[[gnu::noinline]] void called()
{
	asm volatile("");
}

void call(long n)
{
	while (n--)
		called();
}

/** The average time of a run, after one run that warms everything up. */
double measure(void (*work)(long), long n)
{
	work(n);
	const std::uint64_t begin = now();
	for (unsigned i = 0; i < runs; i++)
		work(n);
	return static_cast<double>(now() - begin) / runs;
}

template <typename T> T take(std::istream &in)
{
	T value{};

	if (!in.read(reinterpret_cast<char *>(&value), sizeof value)) {
		errno = EIO;
		bench::die("gmon.out");
	}
	return value;
}

/** The loop's ticks, from the histogram, which is the first record in glibc's gmon.out. */
std::uint64_t ticks_of_loop()
{
	const auto loop = reinterpret_cast<std::uint64_t>(&burn);
	std::ifstream in("gmon.out", std::ios::binary);
	std::uint64_t ticks = 0;

	in.ignore(20 + 1); /* the header, and the kind of the first record */
	const auto low = take<std::uint64_t>(in), high = take<std::uint64_t>(in);
	const auto bins = take<std::uint32_t>(in);
	in.ignore(4 + 16); /* the rate and unit of the histogram */
	for (std::uint32_t i = 0; i < bins; i++) {
		const auto count = take<std::uint16_t>(in);
		const std::uint64_t pc = low + (high - low) * i / bins;

		if (pc + 4 > loop && pc < loop + 16)
			ticks += count;
	}
	return ticks;
}

} // namespace

int main(int argc, char **argv)
{
	if (argc != 2 || chdir(argv[1])) {
		std::fprintf(stderr, "usage: gmon DIRECTORY\n");
		return 2;
	}
	/* -pg counts from the program's start, but only the loop's ticks are read. */
	const double burnt = measure(burn, iterations);
	const double called_for = measure(call, calls);
	const char *const method = profiled ? "pg" : "none";
	double samples = 0;

	if (profiled) {
		_mcleanup();
		samples = static_cast<double>(ticks_of_loop()) / (runs + 1);
	}
	std::printf("samples-gmon %s 0 1 %.0f 1 %.3f 0\n", method, burnt, samples);
	std::printf("calls %s 0 1 %.0f %ld 0 0\n", method, called_for, calls);
	std::fflush(nullptr);
	_exit(0); /* gmon.out has been written: exit() must not call _mcleanup() again */
}
