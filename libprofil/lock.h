// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file lock.h  For what a flavour remembers between two calls. */
#pragma once

#include <atomic>
#include <csignal>
#include <sched.h>
#include <sys/types.h>
#include <unistd.h>

namespace libprofil {

/**
 * A lock that signal handlers may take, and that no fork leaves behind locked.
 *
 * Signals wait while it is held, so that no handler can meet its own thread's
 * lock.  It holds the process ID of who locked it: in a child made by fork the
 * thread that had it does not exist, and the lock is free.
 */
class Lock {
public:
	void lock()
	{
		const pid_t self = getpid();
		sigset_t all, before;

		sigfillset(&all);
		pthread_sigmask(SIG_BLOCK, &all, &before);
		for (pid_t owner = owner_.load(std::memory_order_relaxed);;) {
			if (owner == self) {
				sched_yield();
				owner = owner_.load(std::memory_order_relaxed);
			} else if (owner_.compare_exchange_weak(owner, self, std::memory_order_acquire)) {
				break;
			}
		}
		before_ = before;
	}

	void unlock()
	{
		const sigset_t before = before_;

		owner_.store(0, std::memory_order_release);
		pthread_sigmask(SIG_SETMASK, &before, nullptr);
	}

private:
	std::atomic<pid_t> owner_ = 0;
	sigset_t before_ = {};
};

} // namespace libprofil
