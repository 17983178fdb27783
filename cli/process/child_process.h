// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/process/child_process.h  A program that is started to be profiled. */
#pragma once

#include "cli/base/fd.h"
#include "cli/base/result.h"

#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace cli {

/**
 * A warning if @p program is executed with more privilege than its caller has,
 * which it does not get from @p user while it is traced; else empty.
 */
std::string privilege_warning(const std::string &program, uid_t user);

/**
 * A child process, held at the end of its exec until it is resumed.
 *
 * There the new program is in memory and has not run an instruction, so that
 * whoever attaches now misses nothing.  It is traced for that moment only.
 */
class ChildProcess {
public:
	/**
	 * Start it; its standard streams, directory and limits are ours as they are now.
	 * @param prepare is called in the child before anything else: what it
	 *        does must be async-signal-safe, for we may have threads.
	 */
	static Result<ChildProcess> start(const std::vector<std::string> &arguments,
					  const std::function<void()> &prepare = {});

	ChildProcess(ChildProcess &&other) noexcept;
	ChildProcess &operator=(ChildProcess &&) = delete;
	/** A command that was never resumed is killed. */
	~ChildProcess();

	[[nodiscard]] pid_t pid() const { return pid_; }
	/** For poll(2): readable when it has ended. */
	[[nodiscard]] int fd() const { return pidfd_.get(); }
	/** Let it run. */
	Outcome resume();
	/** Ask it to end. */
	void terminate() const;
	/** Has it ended?  Then the status is kept for exit_status(). */
	bool ended();
	/** Wait for its end. */
	void wait();
	/** As a shell has it: what it returned, or 128 and the number of the signal. */
	[[nodiscard]] int exit_status() const;
	/** "exited with status 3", "was killed by SIGSEGV". */
	[[nodiscard]] std::string ending() const;

private:
	ChildProcess(pid_t pid, Fd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}

	pid_t pid_ = -1;
	Fd pidfd_;
	bool resumed_ = false;
	bool reaped_ = false;
	int status_ = 0;
};

} // namespace cli
