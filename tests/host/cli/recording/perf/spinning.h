// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/recording/perf/spinning.h  Children that use the CPU, and recordings of
 * them. */
#pragma once

#include "cli/recording/perf/perf_recorder.h"
#include "tests/host/cli/need_perf.h"

#include <csignal>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace spinning {

using support::need_perf;

/** Uses CPU time for @p rounds of work. */
[[gnu::noinline]] void one_part(unsigned rounds);
/** Does three times as much work as one_part(), in a function of its own. */
[[gnu::noinline]] void three_parts(unsigned rounds);

/** Keeps refusals and warnings. */
struct Log : cli::RecorderLog {
	void refused(pid_t, const std::string &, const std::string &why) override { refusals.push_back(why); }
	void warn(const std::string &text) override { warnings.push_back(text); }

	std::vector<std::string> refusals;
	std::vector<std::string> warnings;
};

/** A child that works from go() until it is killed. */
class Child {
public:
	explicit Child(const std::function<void()> &work);
	~Child();
	Child(const Child &) = delete;
	Child &operator=(const Child &) = delete;

	[[nodiscard]] pid_t pid() const { return pid_; }
	/** Let the child begin. */
	void go();
	/** Wait until the child has used @p ns of CPU time. */
	void wait_for_cpu(uint64_t ns) const;

private:
	int gate_[2] = {-1, -1};
	pid_t pid_ = -1;
};

/** The clock, at 10,000 Hz. */
cli::PerfSettings fast_clock();
std::unique_ptr<cli::Recorder> recorder(const cli::PerfSettings &settings, cli::RecorderLog &log);
/** Read until there are @p samples samples, or everything has ended. */
void collect(cli::Recorder &recorder, uint64_t samples);
/** Read until @p done is true of the recording, or everything has ended. */
void collect_until(cli::Recorder &recorder, const std::function<bool(const cli::Recording &)> &done);
/** The samples of each function. */
std::map<std::string, uint64_t> functions_of(const cli::Recording &recording);
/** The samples of each program. */
std::map<std::string, uint64_t> programs_of(const cli::Recording &recording);

} // namespace spinning
