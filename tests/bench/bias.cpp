// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/bias.cpp  Compares the distribution of samples with that of the time spent.
 *
 * Meant for a guest under -icount, where the time is known to the instruction.
 *
 * Usage: bias WORK METHOD PERIOD-NS
 * WORK spends a known time in each of its loops:
 * split: divides the time 1 : 2 : 3 : 4, in chunks of random length and order;
 * bursts: wakes every ms, and spends 1/20 ms in one loop and then 3/20 ms in another.
 * METHOD is one of cost's methods that count in memory.
 * Prints: bias WORK METHOD PERIOD TICKS EXPECTED SHARE WANTED CHI-SQUARE DEGREES
 * TICKS: the ticks in the loops; EXPECTED: the time of the loops, in periods; SHARE: the
 * first loop's share of the ticks; WANTED: its share of the time; CHI-SQUARE, DEGREES: the
 * chi-square statistic of the ticks' distribution, and its degrees of freedom.
 */
#include "tests/bench/bench.h"
#include "tests/bench/method.h"
#include "tests/bench/work.h"

#include <array>
#include <string>

using namespace bench;

namespace {

using Parts = std::array<double, loops.size()>;
constexpr std::uint64_t ms = 1'000'000;

/** Spends time in a loop, which has two instructions per iteration. */
void spend(Parts &parts, std::size_t which, std::uint64_t ns)
{
	loops[which](static_cast<long>(ns / 2));
	parts[which] += static_cast<double>(ns);
}

std::uint64_t random_number()
{
	static std::uint64_t state = 1;

	state = state * 6364136223846793005 + 1442695040888963407;
	return state >> 33;
}

void split(Parts &parts)
{
	constexpr int chunks = 4000;

	for (int i = 0; i < chunks; i++) {
		const auto place = random_number() % 10;
		const std::size_t which = place < 1 ? 0 : place < 3 ? 1 : place < 6 ? 2 : 3;

		spend(parts, which, 1000 + random_number() % ms);
	}
}

void bursts(Parts &parts)
{
	constexpr std::uint64_t period = ms;
	constexpr int times = 4000;
	std::uint64_t next = now() / period * period + period;

	for (int i = 0; i < times; i++, next += period) {
		const timespec time = {static_cast<time_t>(next / 1'000'000'000),
				       static_cast<long>(next % 1'000'000'000)};

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr);
		if (now() > next + period / 2) {
			next = now() / period * period; /* the guest waited for its host */
			continue;
		}
		spend(parts, 0, period / 20);
		spend(parts, 1, period / 20 * 3);
	}
}

Parts do_work(const std::string &work)
{
	Parts parts{};

	if (work == "split")
		split(parts);
	else
		bursts(parts);
	return parts;
}

/** The ticks in all counters of a loop, whose five bytes need two counters. */
double ticks_in(const Method &method, void (*which)(long))
{
	const auto pc = reinterpret_cast<std::uint64_t>(which);
	double ticks = 0;

	if (pc < text_low() || pc + 64 > text_low() + text_covered) {
		errno = ERANGE;
		die("a loop is outside the counted text");
	}
	for (std::uint64_t at = pc; at < pc + 64; at += sizeof *counters)
		ticks += static_cast<double>(method.at(at));
	return ticks;
}

} // namespace

int main(int argc, char **argv)
{
	if (argc != 4) {
		std::fprintf(stderr, "usage: bias split|bursts METHOD PERIOD-NS\n");
		return 2;
	}
	const std::uint64_t period = std::strtoull(argv[3], nullptr, 10);
	const auto method = make_method(argv[2], {period, 1});
	const Parts parts = do_work(argv[1]);
	double all = 0, time = 0, square = 0;
	int degrees = -1;

	method->stop();
	for (std::size_t i = 0; i < parts.size(); i++) {
		all += ticks_in(*method, loops[i]);
		time += parts[i];
	}
	for (std::size_t i = 0; i < parts.size(); i++) {
		const double wanted = all * parts[i] / time, got = ticks_in(*method, loops[i]);

		if (parts[i] > 0 && all > 0) {
			square += (got - wanted) * (got - wanted) / wanted;
			degrees++;
		}
	}
	std::printf("bias %s %s %llu %.0f %.1f %.4f %.4f %.2f %d\n", argv[1], argv[2],
		    static_cast<unsigned long long>(period), all, time / static_cast<double>(period),
		    all > 0 ? ticks_in(*method, loops[0]) / all : 0, parts[0] / time, square, degrees);
	return 0;
}
