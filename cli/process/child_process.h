// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/process/child_process.h  Starts the program to profile. */
#pragma once

#include "cli/base/fd.h"
#include "cli/base/result.h"

#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace cli {

/**
 * A warning if @p program is set-uid, set-gid or has file capabilities: exec does
 * not grant those while @p user traces it.  Empty otherwise.
 */
std::string privilege_warning(const std::string &program, uid_t user);

/**
 * A child process, held at the end of its exec until it is resumed.
 *
 * At that point the new program is in memory but has not run an instruction, so
 * a profile attached now misses nothing.  The child is traced only until then.
 */
class ChildProcess {
public:
	/**
	 * Start a program with our current standard streams, directory and limits.
	 * @param prepare is called first in the child; it must be
	 *        async-signal-safe, because the parent may have threads.
	 */
	static Result<ChildProcess> start(const std::vector<std::string> &arguments,
					  const std::function<void()> &prepare = {});

	ChildProcess(ChildProcess &&other) noexcept;
	ChildProcess &operator=(ChildProcess &&) = delete;
	/** Kills a child that was never resumed. */
	~ChildProcess();

	[[nodiscard]] pid_t pid() const { return pid_; }
	/** For poll(2): readable when it has ended. */
	[[nodiscard]] int fd() const { return pidfd_.get(); }
	/** Let it run. */
	Outcome resume();
	/** Send SIGTERM. */
	void terminate() const;
	/** True if it has ended; then exit_status() has its status. */
	bool ended();
	/** Wait for its end. */
	void wait();
	/** The status as a shell reports it: the exit status, or 128 plus the signal's number. */
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
