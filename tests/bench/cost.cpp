// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What it costs to be profiled, in ns; in a guest under -icount, where a virtual
 * nanosecond is an executed instruction, in instructions.
 *
 * Usage: cost WORK METHOD [PERIOD-NS [REGIONS]]
 *        cost starts METHOD [PERIOD-NS [REGIONS]]
 * WORK: samples, samples-slow, switches, threads, forks, forks-words,
 * forks-bytes, the same with -400, execs (work.cpp); starts: METHOD is begun and ended.
 * METHOD: none; floor (a module that ticks, and is only waited for); profil and
 * attached (ours); perf; bpf, bpf-task; signal, signal-wall, libc, gperftools.
 * Prints: WORK METHOD PERIOD REGIONS NS UNITS SAMPLES CPU-NS
 *
 * All but the first two are means of some runs after one that makes everything
 * warm.  UNITS are what a run consists of (switches, threads, ...), SAMPLES and
 * CPU-NS what it got and ran: means of all runs.
 */
#include "tests/bench/bench.h"
#include "tests/bench/method.h"
#include "tests/bench/work.h"

#include <algorithm>
#include <vector>

using namespace bench;

namespace {

constexpr unsigned runs = 3;
constexpr unsigned starts = 100;

std::uint64_t cpu_time()
{
	return now(CLOCK_PROCESS_CPUTIME_ID);
}

struct Cost {
	double ns, units, samples, cpu;
};

Cost measure(const Work &work, const std::string &name, const Wish &wish)
{
	work.prepare();
	const auto method = make_method(name, wish);
	const std::uint64_t cpu = cpu_time();
	std::uint64_t begin = 0;

	for (unsigned i = 0; i <= runs; i++) {
		if (i == 1)
			begin = now();
		work.run();
		method->drain();
	}
	const double ns = static_cast<double>(now() - begin) / runs;
	const double ran = static_cast<double>(cpu_time() - cpu) / (runs + 1);
	const double samples = static_cast<double>(method->stop()) / (runs + 1);

	return {ns, static_cast<double>(work.units), samples, ran};
}

Cost measure_starts(const std::string &name, const Wish &wish)
{
	std::uint64_t begin = 0;

	for (unsigned i = 0; i <= starts; i++) {
		if (i == 1)
			begin = now();
		make_method(name, wish);
	}
	return {static_cast<double>(now() - begin), starts, 0, 0};
}

} // namespace

int main(int argc, char **argv)
{
	if (argc < 3) {
		std::fprintf(stderr, "usage: cost WORK METHOD [PERIOD-NS [REGIONS]]\n");
		return 2;
	}
	const std::string work = argv[1], name = argv[2];
	const Wish wish = {argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0,
			   argc > 4 ? static_cast<unsigned>(std::strtoul(argv[4], nullptr, 10)) : 1};

	std::fill(std::begin(counters), std::end(counters), 0U);
	const Cost cost =
		work == "starts" ? measure_starts(name, wish) : measure(find_work(work), name, wish);
	std::printf("%s %s %llu %u %.0f %.0f %.3f %.0f\n", work.c_str(), name.c_str(),
		    static_cast<unsigned long long>(wish.period), wish.regions, cost.ns, cost.units,
		    cost.samples, cost.cpu);
	return 0;
}
