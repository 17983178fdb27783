// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/attach/burning_target.h  A target that burns CPU time when told to. */
#pragma once

#include "tests/guest/support/burner.h"
#include "tests/guest/support/device.h"

#include <sys/mman.h>

namespace guest {

constexpr size_t page = 4096;
const uintptr_t text = Burner::usual;

/**
 * A child that burns in a loop from begin() to end(), and otherwise sleeps in the kernel.  (A tick
 * in the kernel may still come between two commands, and count in only one of two profiles that are
 * compared.)
 */
class BurningTarget {
public:
	BurningTarget()
		: child_([this] {
			  const Burner burner;
			  for (;;) {
				  begin_.wait();
				  burner.burn_until(text, [this] { return counter<uint64_t>(flag_) == 0; });
				  ended_.open();
			  }
		  })
	{
		await_sleep();
	}

	pid_t pid() const { return child_.pid(); }
	void begin() const
	{
		*flag_.at<volatile uint64_t>() = 1;
		begin_.open();
	}
	void end() const
	{
		*flag_.at<volatile uint64_t>() = 0;
		ended_.wait();
		await_sleep();
	}

private:
	void await_sleep() const
	{
		need_that(soon([this] { return asleep(pid()); }), "the target sleeps");
	}

	Memory flag_{page, MAP_SHARED};
	Gate begin_, ended_;
	Child child_;
};

inline profil_region loop_in(const Memory &counters, size_t index = 0)
{
	return one_counter(text, text + CODE_LOOP_RETURN, counters.at(index * 8), 8);
}

inline bool counted_to(const Memory &counters, uint64_t value, size_t index = 0)
{
	return soon([&] { return counter<uint64_t>(counters, index) >= value; });
}

} // namespace guest
