// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/kmod/points.cpp  The lazy clock (profil_point) gives each task its share, even
 * if several tasks take turns on a CPU in step with it.
 *
 * In each period the clock samples the task that runs at one point.  If points are uniform and
 * independent, a task that runs for the fraction p of a period has a tick in that period with
 * probability p.  So its ticks are a sum of Bernoulli variables, with variance sum p (1 - p); for n
 * equal fractions, the sum is binomial.
 */

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include "kmod/tick/point.h"
#include "tests/support/catch.h"

namespace {

constexpr std::uint64_t ms = 1'000'000, second = 1000 * ms;

/** A task that alternately runs for @ref on and waits for @ref off, in ns. */
struct Alternation {
	std::uint64_t on, off;

	[[nodiscard]] bool runs_at(std::uint64_t time) const { return time % (on + off) < on; }
	/** The task's CPU time from 0 to @p time. */
	[[nodiscard]] std::uint64_t cpu_time(std::uint64_t time) const
	{
		return time / (on + off) * on + std::min(time % (on + off), on);
	}
};

struct Ticks {
	double counted = 0, expected = 0, variance = 0;
};

/** The ticks of a task in `cells` successive periods. */
Ticks ticks_of(const Alternation &task, std::uint64_t period, std::uint64_t cells, std::mt19937_64 &random)
{
	/* Begin up to 28 hours after boot, anywhere in the task's cycle. */
	const std::uint64_t begin = random() % (100'000 * second) / period;
	const std::uint64_t phase = random() % (task.on + task.off);
	std::uint64_t secret = random();
	Ticks ticks;

	for (std::uint64_t i = 0; i < cells; i++) {
		const std::uint64_t cell = (begin + i) * period;
		const std::uint64_t since = i * period + phase;
		const double part =
			static_cast<double>(task.cpu_time(since + period) - task.cpu_time(since)) /
			static_cast<double>(period);

		if (i && (begin + i) % PROFIL_CELLS_PER_SECRET == 0)
			secret = random();
		ticks.counted += task.runs_at(since + profil_point(cell, period, secret) - cell);
		ticks.expected += part;
		ticks.variance += part * (1 - part);
	}
	return ticks;
}

} // namespace

TEST_CASE("tasks that alternate in step with the clock have binomial ticks over 0.1, 1 and 10 seconds",
	  "[points]")
{
	const std::uint64_t seed = 20261128;
	std::mt19937_64 random(seed);

	for (const std::uint64_t rate : {100, 999, 1000}) {
		const std::uint64_t period = second / rate;

		for (const std::uint64_t on :
		     {period, period / 2, 2 * period, 3 * period, period / 3, 4 * ms}) {
			/* The task shares the CPU with one or three others like it. */
			for (const std::uint64_t others : {1, 3}) {
				for (const std::uint64_t time : {second / 10, second, 10 * second}) {
					const Alternation task = {on, others * on};
					const std::uint64_t cells = time / period;
					const std::uint64_t runs =
						std::max<std::uint64_t>(1'000'000 / cells, 400);
					double sum = 0, variance = 0, excess = 0, error = 0;

					for (std::uint64_t i = 0; i < runs; i++) {
						const Ticks ticks = ticks_of(task, period, cells, random);
						const double deviation = ticks.counted - ticks.expected;
						const double more = deviation * deviation - ticks.variance;

						sum += deviation;
						variance += ticks.variance;
						excess += more;
						error += more * more;
					}
					/*
					 * Both sums are 0 on average and normally distributed, and
					 * exceed the limit once in 150,000 runs.
					 */
					CAPTURE(seed, rate, on, others, time, runs, sum / std::sqrt(variance),
						1 + excess / variance);
					CHECK(std::abs(sum) <= 4.5 * std::sqrt(variance));
					CHECK(std::abs(excess) <= 4.5 * std::sqrt(error));
				}
			}
		}
	}
}

TEST_CASE("of 18 ticks of two tasks that have each half of the CPU, one has 4 or fewer in 3 of 100 cases",
	  "[points]")
{
	constexpr std::uint64_t period = 10 * ms, runs = 200'000;
	const std::uint64_t seed = 20261129;
	std::mt19937_64 random(seed);
	double uneven = 0;

	for (std::uint64_t i = 0; i < runs; i++) {
		const double counted = ticks_of({period / 2, period / 2}, period, 18, random).counted;

		uneven += counted <= 4 || counted >= 14;
	}
	/* 2 (C(18,0) + ... + C(18,4)) / 2^18 */
	const double expected = 2.0 * (1 + 18 + 153 + 816 + 3060) / (1 << 18);
	const double share = uneven / runs;
	CAPTURE(seed, share, expected);
	CHECK(std::abs(share - expected) < 4.5 * std::sqrt(expected * (1 - expected) / runs));
}
