// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/support/faults.h  The kernel's fault injection, for kernels that have it.
 *
 * Documentation/fault-injection/fault-injection.rst of the kernel: a task's fail-nth holds a
 * number, which every allocation and every copy from or to user space that may fail decrements.
 * The one that reaches 0 fails.
 */
#pragma once

#include "tests/guest/support/guest.h"

#include <deque>

namespace guest {

/** While this exists, calls of the chosen kind may fail. */
class Faults {
public:
	enum class Of {
		everybody, /* in the task, from any code */
		module,	   /* only those that profil.ko makes, directly or indirectly */
	};

	explicit Faults(Of whose = Of::everybody);

private:
	std::deque<Setting> settings_;
};

/** The fail-nth of one task. */
class Injector {
public:
	/** 0 is this thread, any other number the ID of a task. */
	explicit Injector(pid_t task = 0);
	~Injector() { disarm(); }

	void arm(unsigned n) const;
	void disarm() const;
	/** Has the chosen call failed? */
	bool fired() const;

private:
	Fd file_;
};

/**
 * Let the first call that can fail do so, then the second, and so on, until a run has fewer calls.
 * `run` is called with the number and returns whether it reached the failure.  Returns how many
 * failures there were.
 */
unsigned sweep(const std::function<bool(unsigned n)> &run);

/**
 * In increasing steps: for operations that fail hundreds of times in the kernel's own code, such
 * as fork and exec.
 */
void sweep_faster(const std::function<bool(unsigned n)> &run);

} // namespace guest
