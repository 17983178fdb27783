// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/snapshot_signal.h  SIGUSR1 as a request to write a file now. */
#pragma once

#include "cli/base/fd.h"

#include <csignal>

namespace cli {

/** Receives SIGUSR1 while it exists.  Create it after the command is started, so that the command does not
 * inherit the signal mask. */
class SnapshotSignal {
public:
	SnapshotSignal();
	SnapshotSignal(const SnapshotSignal &) = delete;
	SnapshotSignal &operator=(const SnapshotSignal &) = delete;
	~SnapshotSignal();

	/** For poll(2): readable when the signal has arrived. */
	[[nodiscard]] int fd() const { return signals_.get(); }
	/** True if the signal has arrived since the last call. */
	[[nodiscard]] bool taken() const;

private:
	sigset_t before_;
	Fd signals_;
};

} // namespace cli
