// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/recording_run.h  Runs a recording as the options say, for all subcommands that
 * profile. */
#pragma once

#include "cli/base/result.h"
#include "cli/base/stop_signals.h"
#include "cli/process/child_process.h"
#include "cli/process/process_finder.h"
#include "cli/profile/sample_source.h"
#include "cli/recording/perf/backend.h"
#include "cli/recording/recorder.h"
#include "cli/recording/settings.h"
#include "cli/recording/target_options.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace cli {

/** A timeout for poll(2): @p seconds in milliseconds, rounded up; at least 0, at most an hour. */
int poll_timeout(double seconds);

/** The seconds since @p start. */
double seconds_since(Clock::time_point start);

using RecorderWrap = std::function<std::unique_ptr<Recorder>(std::unique_ptr<Recorder>)>;

/**
 * A recorder and its targets: processes, a search for processes, or a command.  A command that is
 * given with other targets is not a target itself; it only sets the duration.
 */
class RecordingRun {
public:
	/**
	 * @param log must outlive this.
	 * @param wrap wraps the recorder that does the work; its result is used instead.
	 */
	RecordingRun(TargetOptions options, RecorderLog &log, RecorderWrap wrap = {})
		: options_(std::move(options)), log_(log), wrap_(std::move(wrap))
	{
	}

	/** Check what can fail early, and start the command, held before its first instruction. */
	Outcome prepare();
	/** Attach, and let the command run. */
	Outcome start();
	/**
	 * Wait until there is work, one of @p descriptors is readable, or
	 * @p seconds have passed; then do the work.
	 */
	void step(double seconds, std::span<const int> descriptors);
	/** True if the command has ended, or, without a search, if nothing is left to profile. */
	[[nodiscard]] bool over();

	[[nodiscard]] Recorder &recorder() { return *recorder_; }
	/** The sources of ticks: the clock, if no event was chosen. */
	[[nodiscard]] const std::vector<SampleSource> &sources() const { return sources_; }
	/** Nanoseconds between samples of the clock; 0: it does not tick. */
	[[nodiscard]] uint64_t period() const { return period_; }
	/** The backend that takes the samples: the module or perf. */
	[[nodiscard]] const Backend &backend() const { return backend_; }
	/** The cost of a sample with perf, if it could be measured. */
	[[nodiscard]] const std::optional<TickCost> &perf_cost() const { return perf_cost_; }
	/** The command, whether or not it is profiled; or nullptr. */
	[[nodiscard]] ChildProcess *command() { return command_ ? &*command_ : nullptr; }
	/**
	 * Wait for the end of the command, after the recording.  Ctrl-C on a terminal
	 * has reached the command as well; after a signal sent only to us, the
	 * command gets SIGTERM.
	 * @return its exit status.
	 */
	int end_command(const StopSignals &signals);
	/** The value of %p in file names. */
	[[nodiscard]] pid_t first_pid() const;

private:
	Outcome start_command();
	Outcome make_one();
	Outcome make_perf_recorder();
	Outcome make_module_recorders(RecorderSettings settings);
	Outcome attach();
	size_t search();

	TargetOptions options_;
	RecorderLog &log_;
	RecorderWrap wrap_;
	Backend backend_;
	std::optional<TickCost> perf_cost_;
	uint64_t period_ = 0;
	std::vector<SampleSource> sources_;
	std::optional<ProcessFinder> finder_;
	std::optional<ChildProcess> command_;
	std::unique_ptr<Recorder> recorder_;
	Clock::time_point next_search_;
};

} // namespace cli
