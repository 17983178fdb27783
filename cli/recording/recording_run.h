// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/recording_run.h  Profiles what the options say: the part that all subcommands which
 * profile share. */
#pragma once

#include "cli/base/result.h"
#include "cli/base/stop_signals.h"
#include "cli/process/child_process.h"
#include "cli/process/process_finder.h"
#include "cli/recording/recorder.h"
#include "cli/recording/target_options.h"

#include <optional>
#include <span>

namespace cli {

/** For poll(2): @p seconds as milliseconds, rounded up; at least 0, at most an hour. */
int poll_timeout(double seconds);

/** Seconds from @p start until now. */
double seconds_since(Clock::time_point start);

/** A recorder and what it profiles: processes, a search for processes, or a command. */
class RecordingRun {
public:
	/** @param log lives longer than this. */
	RecordingRun(TargetOptions options, RecorderLog &log) : options_(std::move(options)), log_(log) {}

	/** Find out beforehand what is wrong; starts the command, which does not run yet. */
	Outcome prepare();
	/** Attach, and let the command run. */
	Outcome start();
	/**
	 * Wait for something to do, at most so many seconds, or for one of some
	 * descriptors to be readable; and do what there is.
	 */
	void step(double seconds, std::span<const int> descriptors);
	/** Is there nothing left to profile?  A search goes on. */
	[[nodiscard]] bool over();

	[[nodiscard]] Recorder &recorder() { return *recorder_; }
	/** Nanoseconds between samples. */
	[[nodiscard]] uint64_t period() const { return period_; }
	/** The command, or NULL. */
	[[nodiscard]] ChildProcess *command() { return command_ ? &*command_ : nullptr; }
	/**
	 * Wait for the command's end, when the recording is over.  A terminal's
	 * Ctrl-C has reached it as well; a signal for us alone is passed on.
	 * @return its exit status.
	 */
	int end_command(const StopSignals &signals);
	/** What %p in the name of a file is. */
	[[nodiscard]] pid_t first_pid() const;

private:
	Outcome start_command();
	Outcome attach();
	size_t search();

	TargetOptions options_;
	RecorderLog &log_;
	profil_info info_ = {};
	uint64_t period_ = 0;
	std::optional<ProcessFinder> finder_;
	std::optional<ChildProcess> command_;
	std::optional<Recorder> recorder_;
	Clock::time_point next_search_;
};

} // namespace cli
