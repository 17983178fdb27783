// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/attach.cpp  The cost of beginning and ending a recording, in executed instructions.
 *
 * Meant for a guest under -icount, where a virtual nanosecond is an executed
 * instruction.  The targets sleep, so the figure includes none of their work;
 * it does include work that the kernel's own threads do for the caller.
 *
 * Usage: attach processes|threads|everybody NUMBER LABEL
 * processes: NUMBER processes with one thread each, all but the first added with one call of
 * profil_session_add(); threads: one process with NUMBER threads; everybody: a system-wide
 * recording while NUMBER processes sleep.
 * If LABEL is perf, perf record -p records instead of profil, and the figures are its CPU time:
 * from its start until it counts, and from there to its end.  Any other LABEL is only printed.
 * Prints, as cost does: attach-WHAT-NUMBER LABEL 0 1 NS 1 0 0, and detach-...
 */
#include "tests/bench/bench.h"
#include "tests/bench/perf_record.h"
#include "tests/bench/recording.h"
#include "tests/bench/target.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using bench::die;
using bench::now;
using bench::PerfRecord;
using bench::Recording;
using bench::target_with;

namespace {

constexpr int runs = 11; /* the median is used: some runs wake a kernel thread */
constexpr int perf_runs = 2;
constexpr std::uint64_t period = 1'000'000;

struct Cost {
	std::uint64_t attach, detach;
};

/**
 * Measures perf record's CPU time, not the time that passes: perf record waits for the host's files
 * while it loads its libraries.
 */
Cost measure_perf(pid_t pid)
{
	Cost least = {UINT64_MAX, UINT64_MAX};
	for (int i = 0; i < perf_runs; i++) {
		PerfRecord record(pid, period);
		const std::uint64_t attached = record.cpu();
		record.stop();
		least.attach = std::min(least.attach, attached);
		least.detach = std::min(least.detach, record.cpu() - attached);
	}
	return least;
}

std::uint64_t median(std::vector<std::uint64_t> values)
{
	std::nth_element(values.begin(), values.begin() + runs / 2, values.end());
	return values[runs / 2];
}

/** The median costs of beginning a recording, and of ending it. */
Cost measure(const std::function<void(Recording &)> &begin)
{
	std::vector<std::uint64_t> attaches, detaches;

	for (int i = 0; i < runs; i++) {
		Recording recording;
		const std::uint64_t start = now();
		begin(recording);
		const std::uint64_t attached = now();
		recording.end();
		attaches.push_back(attached - start);
		detaches.push_back(now() - attached);
	}
	return {median(attaches), median(detaches)};
}

Cost measure_processes(const std::vector<pid_t> &pids)
{
	return measure([&](Recording &recording) {
		recording.begin(pids.front(), PROFIL_FOLLOW, period);
		recording.add(std::span(pids).subspan(1));
	});
}

Cost measure_everybody()
{
	return measure([](Recording &recording) { recording.begin(-1, PROFIL_RECORD_EVERYBODY, period); });
}

} // namespace

int main(int argc, char **argv)
{
	const std::string what = argc == 4 ? argv[1] : "", label = argc == 4 ? argv[3] : "";
	const unsigned number = argc == 4 ? static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)) : 0;
	const bool perf = label == "perf";
	std::vector<pid_t> pids;

	const bool everybody = what == "everybody";

	if ((what != "processes" && what != "threads" && !everybody) || !number ||
	    (perf && what != "threads")) {
		std::fprintf(stderr, "usage: attach processes|threads|everybody NUMBER LABEL\n");
		return 2;
	}
	/* perf record keeps an event open for each thread; profil closes its own once submitted. */
	const rlimit many = {65536, 65536};
	if (setrlimit(RLIMIT_NOFILE, &many))
		die("RLIMIT_NOFILE");
	if (what == "threads")
		pids.push_back(target_with(number));
	else
		for (unsigned i = 0; i < number; i++)
			pids.push_back(target_with(1));
	const Cost cost = perf	      ? measure_perf(pids.front())
			  : everybody ? measure_everybody()
				      : measure_processes(pids);
	for (const auto &[verb, ns] : {std::pair{"attach", cost.attach}, {"detach", cost.detach}})
		std::printf("%s-%s-%u %s 0 1 %llu 1 0 0\n", verb, what.c_str(), number, label.c_str(),
			    static_cast<unsigned long long>(ns));
	for (const pid_t pid : pids)
		kill(pid, SIGKILL);
	while (wait(nullptr) > 0)
		;
	return 0;
}
