// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/attach.cpp  The cost of attaching and detaching, in executed instructions.
 *
 * Meant for a guest under -icount, where a virtual nanosecond is an executed
 * instruction.  The targets stand still, so the figure includes none of their work;
 * it includes what the kernel's own threads do for a caller.
 *
 * Usage: attach processes|threads|everybody NUMBER LABEL processes: NUMBER processes with one
 * thread each, by one call of profil_attach(); threads: one process with NUMBER threads.  If LABEL
 * is perf, perf record -p attaches, and the figures are its CPU time from its start until it
 * counts, and from then to its end.  Otherwise profil_attach() attaches, and LABEL is only printed.
 * everybody: a system-wide recording, with a table of 64 KiB, while NUMBER processes stand still.
 * Prints, as cost does: attach-WHAT-NUMBER LABEL 0 1 NS 1 0 0, and detach-...
 */
#include "profil.h"
#include "tests/bench/bench.h"
#include "tests/bench/perf_record.h"
#include "tests/bench/target.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using bench::die;
using bench::now;
using bench::PerfRecord;
using bench::target_with;

namespace {

constexpr int runs = 11; /* now and then a run wakes a kernel thread */
constexpr int perf_runs = 2;

struct Cost {
	std::uint64_t attach, detach;
};

/** Measures the CPU time of perf record, which waits for the host's files while it loads its libraries. */
Cost measure_perf(pid_t pid)
{
	Cost least = {UINT64_MAX, UINT64_MAX};
	for (int i = 0; i < perf_runs; i++) {
		PerfRecord record(pid, 1'000'000);
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

/** Attaches a profile to each process, with one counter for a page of text. */
Cost measure(const std::vector<pid_t> &pids)
{
	uint64_t counter = 0;
	profil_region region{};
	region.low = region.offset = 0x400000;
	region.high = 0x401000;
	region.buffer = reinterpret_cast<uint64_t>(&counter);
	region.bytes = region.width = sizeof counter;

	profil_spec spec{};
	spec.size = sizeof spec;
	spec.period = 1'000'000;
	spec.flags = PROFIL_FOLLOW;
	spec.regions = &region;
	spec.nr_regions = 1;
	std::vector<profil_target> targets;
	for (const pid_t pid : pids)
		targets.push_back({pid, 0, nullptr, &spec, 0});

	std::vector<std::uint64_t> attaches, detaches;
	for (int i = 0; i < runs; i++) {
		profil_session *session = profil_session_open();
		if (!session)
			die("profil_session_open");
		const std::uint64_t begin = now();
		if (profil_attach(session, targets.data(), targets.size()) !=
		    static_cast<ssize_t>(targets.size())) {
			const auto bad = std::find_if(targets.begin(), targets.end(),
						      [](const profil_target &one) { return one.error; });
			errno = bad->error;
			die(bad->step);
		}
		const std::uint64_t attached = now();
		profil_session_close(session);
		attaches.push_back(attached - begin);
		detaches.push_back(now() - attached);
	}
	return {median(attaches), median(detaches)};
}

Cost measure_everybody()
{
	constexpr std::uint32_t counts = 4096;
	std::vector<std::uint64_t> attaches, detaches;

	for (int i = 0; i < runs; i++) {
		profil_session *session = profil_session_open();
		void *const table = profil_counters_alloc(counts * sizeof(profil_count));
		profil_record record{};
		const char *step = nullptr;

		record.size = sizeof record;
		record.flags = PROFIL_RECORD_EVERYBODY;
		record.period = 1'000'000;
		record.table = reinterpret_cast<std::uint64_t>(table);
		record.nr_counts = counts;
		const std::uint64_t begin = now();
		if (!session || !table || profil_session_record(session, -1, &record, &step))
			die(step ? step : "profil_session_record");
		const std::uint64_t attached = now();
		profil_session_close(session);
		attaches.push_back(attached - begin);
		detaches.push_back(now() - attached);
		profil_counters_free(table, counts * sizeof(profil_count));
	}
	return {median(attaches), median(detaches)};
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
	/* perf record keeps an event open for each thread; profil closes its own when the submission is done.
	 */
	const rlimit many = {65536, 65536};
	if (setrlimit(RLIMIT_NOFILE, &many))
		die("RLIMIT_NOFILE");
	if (what == "threads")
		pids.push_back(target_with(number));
	else
		for (unsigned i = 0; i < number; i++)
			pids.push_back(target_with(1));
	const Cost cost = perf ? measure_perf(pids.front()) : everybody ? measure_everybody() : measure(pids);
	for (const auto &[verb, ns] : {std::pair{"attach", cost.attach}, {"detach", cost.detach}})
		std::printf("%s-%s-%u %s 0 1 %llu 1 0 0\n", verb, what.c_str(), number, label.c_str(),
			    static_cast<unsigned long long>(ns));
	for (const pid_t pid : pids)
		kill(pid, SIGKILL);
	while (wait(nullptr) > 0)
		;
	return 0;
}
