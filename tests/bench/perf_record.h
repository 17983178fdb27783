// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/perf_record.h  perf record, as perf-record(1) has it, and a way to tell it when. */
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>

namespace bench {

/** perf record -p PID; it has attached when the constructor returns, and counts from then on. */
class PerfRecord {
public:
	PerfRecord(pid_t target, std::uint64_t period);
	PerfRecord(const PerfRecord &) = delete;
	PerfRecord &operator=(const PerfRecord &) = delete;
	~PerfRecord();

	/** Waits until it has written whatever is in its buffers. */
	void drain();
	/** Ends it. */
	void stop();
	/** CPU time it has taken, from its start; to its end, when it has been stopped. */
	std::uint64_t cpu() const;
	std::string file() const { return directory + "/perf.data"; }
	/** How many samples it has. */
	std::uint64_t samples() const;

private:
	/** Sends one of the words of --control, and waits for the answer. */
	void command(const char *word);

	std::string directory;
	int control = -1, answer = -1;
	pid_t pid = -1;
	std::uint64_t cpu_to_end = 0;
};

} // namespace bench
