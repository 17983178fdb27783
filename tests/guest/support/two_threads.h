// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/support/two_threads.h  A process with two threads, for tests of single threads. */
#pragma once

#include "tests/guest/support/burner.h"

#include <cerrno>
#include <csignal>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace guest {

/**
 * A process whose threads each run their own loop when told to, and otherwise sleep in the kernel.
 */
class TwoThreads {
public:
	static constexpr size_t threads = 2;

	static uintptr_t loop_of(size_t thread) { return Burner::usual + 64 * thread; }

	TwoThreads() : child_([this] { run(); })
	{
		for (size_t i = 0; i < threads; i++)
			need_that(soon([&] { return shared().tid[i] && asleep(tid(i)); }), "threads wait");
	}

	pid_t pid() const { return child_.pid(); }
	pid_t tid(size_t thread) const { return shared().tid[thread]; }
	void begin(size_t thread) const
	{
		shared().burns[thread] = true;
		begin_[thread].open();
	}
	void rest(size_t thread) const
	{
		shared().burns[thread] = false;
		rested_[thread].wait();
		need_that(soon([&] { return asleep(tid(thread)); }), "the thread sleeps");
	}
	void end(size_t thread) const
	{
		const pid_t gone = tid(thread);

		shared().ends[thread] = true;
		begin_[thread].open();
		need_that(soon([&] { return tgkill(pid(), gone, 0) == -1 && errno == ESRCH; }),
			  "the thread ends");
	}

private:
	/**
	 * Memory that the test shares with the target: each thread's ID, and the flags that tell it
	 * to run its loop or to end.
	 */
	struct Shared {
		volatile pid_t tid[threads];
		volatile bool burns[threads];
		volatile bool ends[threads];
	};

	Shared &shared() const { return *memory_.at<Shared>(); }
	void run() const
	{
		const Burner burner;
		std::vector<std::thread> all;

		for (size_t i = 0; i < threads; i++)
			burner.plant_loop(loop_of(i));
		for (size_t i = 0; i < threads; i++)
			all.emplace_back([this, i] { burn(i); });
		pause();
	}
	void burn(size_t thread) const
	{
		shared().tid[thread] = gettid();
		for (;;) {
			begin_[thread].wait();
			if (shared().ends[thread])
				return;
			while (shared().burns[thread])
				Burner::spin(loop_of(thread), 10'000);
			rested_[thread].open();
		}
	}

	const Memory memory_{4096, MAP_SHARED};
	const Gate begin_[threads], rested_[threads];
	Child child_;
};

} // namespace guest
