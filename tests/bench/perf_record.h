// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/perf_record.h  perf record, and a way to control it. */
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>

namespace bench {

/** perf record -p PID, or -a; once the constructor returns, it is attached and counts. */
class PerfRecord {
public:
	static constexpr pid_t everybody = -1;

	/** @param event one of perf's event names; nullptr: the clock, with a period in ns. */
	PerfRecord(pid_t target, std::uint64_t period, const char *event = nullptr);
	PerfRecord(const PerfRecord &) = delete;
	PerfRecord &operator=(const PerfRecord &) = delete;
	~PerfRecord();

	/** Waits until perf record has written everything in its buffers. */
	void drain();
	/** Ends perf record. */
	void stop();
	/** The CPU time of perf record since its start; after stop(), its total. */
	std::uint64_t cpu() const;
	std::string file() const { return directory + "/perf.data"; }
	/** The number of samples in perf.data. */
	std::uint64_t samples() const;

private:
	/** Sends a command of --control, and waits for the answer. */
	void command(const char *word);

	std::string directory;
	int control = -1, answer = -1;
	pid_t pid = -1;
	std::uint64_t cpu_to_end = 0;
};

} // namespace bench
