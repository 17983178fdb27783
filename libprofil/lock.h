// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/lock.h  A lock for the state that a flavour keeps between calls. */
#pragma once

#include "libprofil/mapping.h"

#include <atomic>
#include <csignal>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace libprofil {

/**
 * A lock that signal handlers may take, and that is never left locked by fork.
 *
 * The holder blocks all signals, so a handler never finds the lock held by its own
 * thread.  The lock word is in a page that the kernel wipes in a child made by fork,
 * because the thread that held it does not exist there.  A vfork child shares the
 * page.
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
	/* The first caller maps the page. */
	std::atomic<int> &word_of_process()
	{
		std::atomic<int> *known = word_.load(std::memory_order_acquire);

		if (known)
			return *known;

		const size_t bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
		void *const page = map_wiped_by_fork(bytes);

		/* Without the page the lock still works, except across a concurrent fork(). */
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
