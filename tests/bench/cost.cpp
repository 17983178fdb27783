// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/cost.cpp  The cost of being profiled, in ns.
 *
 * In a guest under -icount, where a virtual nanosecond is an executed instruction,
 * the cost is in instructions.
 *
 * Usage: cost [--beside | --among OTHERS] WORK METHOD [PERIOD-NS [REGIONS]]
 *        cost starts METHOD [PERIOD-NS [REGIONS]]
 * WORK: samples, samples-kernel, samples-slow, switches, threads, forks, forks-words,
 * forks-bytes, execs, faults, samples-64-places and samples-1000-places (work.cpp);
 * starts: METHOD is started and stopped; idle: nothing runs for a second, and SAMPLES are the
 * timers' interrupts.
 * METHOD: none; floor (no profile while the module floor ticks); profil, bsd, tru64,
 * aix, solaris, pcsample (self profiles); linux (profil()); sessions (as many recordings of this
 * process as unprivileged users can make), sessions-thread (also as many of this thread);
 * recorded, everybody (recordings, for which REGIONS are mappings of text), recorded-kernel,
 * everybody-kernel (the same, counting kernel ticks by address); by-other (another process makes a
 * system-wide recording); perf, perf-all (perf record -a); bpf, bpf-kernel; signal, libc,
 * gperftools.
 * With -faults after floor, recorded, perf or bpf, PERIOD-NS is a number of page faults;
 * recorded-two-faults records two events at once.
 * Prints: WORK METHOD PERIOD REGIONS NS UNITS SAMPLES CPU-NS
 *
 * NS is the mean of the middle half of some runs, after one run that warms everything
 * up.  UNITS are the parts of a run (switches, threads, ...); SAMPLES and CPU-NS are the
 * samples and the CPU time of a run, as means of all runs.
 *
 * --among: while OTHERS sleeping processes are profiled.
 * --beside: alternates unprofiled and profiled runs, and prints a line for each; for work
 * whose cost differs from run to run by more than a profile costs.
 */
#include "tests/bench/bench.h"
#include "tests/bench/method.h"
#include "tests/bench/target.h"
#include "tests/bench/work.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <numeric>
#include <sched.h>
#include <sstream>
#include <unistd.h>
#include <vector>

using namespace bench;

namespace {

constexpr unsigned starts = 100;
constexpr unsigned turns = 9;

std::uint64_t cpu_time()
{
	return now(CLOCK_PROCESS_CPUTIME_ID);
}

struct Cost {
	double ns, units, samples, cpu;
};

/** The mean of the middle half, because a kernel thread may run during some measurements. */
double middle(std::vector<double> values)
{
	const auto left_out = static_cast<std::ptrdiff_t>(values.size() / 4);

	std::sort(values.begin(), values.end());
	return std::accumulate(values.begin() + left_out, values.end() - left_out, 0.0) /
	       static_cast<double>(values.size() - 2 * static_cast<std::size_t>(left_out));
}

Cost measure(const Work &work, const std::string &name, const Wish &wish)
{
	work.prepare();
	const auto method = make_method(name, wish);
	const std::uint64_t cpu = cpu_time();
	std::vector<double> times;

	for (unsigned i = 0; i <= work.runs; i++) {
		const std::uint64_t begin = now();

		work.run();
		method->drain();
		if (i)
			times.push_back(static_cast<double>(now() - begin));
	}
	const double ran = static_cast<double>(cpu_time() - cpu) / (work.runs + 1);
	const double samples = static_cast<double>(method->stop()) / (work.runs + 1);

	return {middle(times), static_cast<double>(work.units), samples, ran};
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

double run_once(const Work &work)
{
	const std::uint64_t begin = now();

	work.run();
	return static_cast<double>(now() - begin);
}

/** Makes two tasks alternate in an order that does not depend on past scheduling. */
void take_turns()
{
	const sched_param first = {.sched_priority = 1};

	if (sched_setscheduler(0, SCHED_FIFO, &first))
		die("sched_setscheduler");
}

struct Beside {
	Cost without, with;
};

Beside measure_beside(const Work &work, const std::string &name, const Wish &wish)
{
	std::vector<double> without, with;

	work.prepare();
	run_once(work);
	for (unsigned i = 0; i < turns; i++) {
		without.push_back(run_once(work));
		const auto method = make_method(name, wish);
		with.push_back(run_once(work));
	}
	const auto units = static_cast<double>(work.units);
	return {{middle(without), units, 0, 0}, {middle(with), units, 0, 0}};
}

/** The number of interrupts from the CPUs' own timers. */
std::uint64_t timer_interrupts()
{
	std::ifstream lines("/proc/interrupts");
	std::uint64_t sum = 0, number = 0;
	std::string line, name;

	while (std::getline(lines, line)) {
		std::istringstream words(line);

		words >> name;
		while (name == "LOC:" && words >> number)
			sum += number;
	}
	return sum;
}

/** Measures work that does nothing: its samples are the timers' interrupts. */
Cost measure_idle(const Work &work)
{
	std::vector<double> interrupts;

	for (unsigned i = 0; i < work.runs; i++) {
		const std::uint64_t before = timer_interrupts();

		work.run();
		interrupts.push_back(static_cast<double>(timer_interrupts() - before));
	}
	return {0, static_cast<double>(work.units), middle(interrupts), 0};
}

/** Starts processes that sleep, each profiled at 10 kHz. */
void make_others(unsigned number)
{
	for (unsigned i = 0; i < number; i++)
		standing_process([] {
			static std::unique_ptr<Method> method; /* lives as long as the process */

			method = make_method("profil", {100'000, 1});
		});
}

void print(const std::string &work, const std::string &name, const Wish &wish, const Cost &cost)
{
	std::printf("%s %s %llu %u %.0f %.0f %.3f %.0f\n", work.c_str(), name.c_str(),
		    static_cast<unsigned long long>(wish.period), wish.regions, cost.ns, cost.units,
		    cost.samples, cost.cpu);
}

} // namespace

int main(int argc, char **argv)
{
	const bool beside = argc > 1 && !std::strcmp(argv[1], "--beside");
	const bool among = argc > 2 && !std::strcmp(argv[1], "--among");
	const auto others = among ? static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)) : 0;

	argc -= beside + 2 * among;
	argv += beside + 2 * among;
	if (argc < 3) {
		std::fprintf(stderr,
			     "usage: cost [--beside | --among OTHERS] WORK METHOD [PERIOD-NS [REGIONS]]\n");
		return 2;
	}
	const std::string work = argv[1], name = argv[2];
	const Wish wish = {argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0,
			   argc > 4 ? static_cast<unsigned>(std::strtoul(argv[4], nullptr, 10)) : 1};

	std::fill(std::begin(counters), std::end(counters), 0U);
	make_others(others);
	if (work == "threads" && beside)
		take_turns();
	if (work == "idle") {
		print(work, name, wish, measure_idle(find_work(work)));
	} else if (beside) {
		const Beside costs = measure_beside(find_work(work), name, wish);
		print(work, "none-beside-" + name, wish, costs.without);
		print(work, name, wish, costs.with);
	} else if (work == "starts") {
		print(work, name, wish, measure_starts(name, wish));
	} else {
		print(work, name, wish, measure(find_work(work), name, wish));
	}
	return 0;
}
