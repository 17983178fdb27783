// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/snapshot_signal.h"

#include <sys/signalfd.h>

namespace cli {

SnapshotSignal::SnapshotSignal()
{
	sigset_t wanted;

	sigemptyset(&wanted);
	sigaddset(&wanted, SIGUSR1);
	sigprocmask(SIG_BLOCK, &wanted, &before_);
	signals_ = Fd(signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
}

SnapshotSignal::~SnapshotSignal()
{
	/* Once unblocked, a pending SIGUSR1 would kill the process. */
	while (taken())
		;
	sigprocmask(SIG_SETMASK, &before_, nullptr);
}

bool SnapshotSignal::taken() const
{
	signalfd_siginfo about;

	return read(signals_.get(), &about, sizeof(about)) == sizeof(about);
}

} // namespace cli
