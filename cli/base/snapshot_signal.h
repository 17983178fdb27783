// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/snapshot_signal.h  SIGUSR1 as a wish for a file now. */
#pragma once

#include "cli/base/fd.h"

#include <csignal>

namespace cli {

/** Takes SIGUSR1 while it lives; made after the command was started, which has its own. */
class SnapshotSignal {
public:
	SnapshotSignal();
	SnapshotSignal(const SnapshotSignal &) = delete;
	SnapshotSignal &operator=(const SnapshotSignal &) = delete;
	~SnapshotSignal();

	/** For poll(2): readable when the signal has come. */
	[[nodiscard]] int fd() const { return signals_.get(); }
	/** Has it come since the last time? */
	[[nodiscard]] bool taken() const;

private:
	sigset_t before_;
	Fd signals_;
};

} // namespace cli
