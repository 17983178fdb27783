// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file lock.h  For what a flavour remembers between two calls. */
#pragma once

#include "libprofil/mapping.h"

#include <atomic>
#include <csignal>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace libprofil {

/**
 * A lock that signal handlers may take, and that no fork leaves behind locked.
 *
 * Signals wait while it is held, so that no handler can meet its own thread's
 * lock.  Its word is in a page that the kernel wipes in a child made by fork,
 * where the thread that had it does not exist, and that a vfork child shares.
 */
class Lock {
public:
	void lock()
	{
		std::atomic<int> &word = word_of_process();
		sigset_t all, before;

		sigfillset(&all);
		pthread_sigmask(SIG_BLOCK, &all, &before);
		while (word.exchange(1, std::memory_order_acquire))
			syscall(SYS_futex, &word, FUTEX_WAIT, 1, nullptr, nullptr, 0);
		before_ = before;
	}

	void unlock()
	{
		std::atomic<int> &word = word_of_process();
		const sigset_t before = before_;

		word.store(0, std::memory_order_release);
		syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
		pthread_sigmask(SIG_SETMASK, &before, nullptr);
	}

private:
	/* Made by the first who wants it. */
	std::atomic<int> &word_of_process()
	{
		std::atomic<int> *known = word_.load(std::memory_order_acquire);

		if (known)
			return *known;

		const size_t bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
		void *const page = map_wiped_by_fork(bytes);

		/* Without memory the lock is as good, but for who forks meanwhile. */
		if (!page)
			return without_page_;

		auto *const made = static_cast<std::atomic<int> *>(page);

		if (word_.compare_exchange_strong(known, made, std::memory_order_acq_rel))
			return *made;
		munmap(page, bytes);
		return *known;
	}

	std::atomic<std::atomic<int> *> word_ = nullptr;
	std::atomic<int> without_page_ = 0;
	sigset_t before_ = {};
};

} // namespace libprofil
