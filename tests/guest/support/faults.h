// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/support/faults.h  The kernel's fault injection, for kernels that have it.
 *
 * Documentation/fault-injection/fault-injection.rst of the kernel: a task's fail-nth holds a
 * number, which every allocation and every copy from or to user space that may fail decrements.
 * The call that brings the number to 0 fails.
 */
#pragma once

#include "tests/guest/support/guest.h"

#include <deque>

namespace guest {

/** While this exists, calls of the chosen kind may fail. */
class Faults {
public:
	enum class Of {
		everybody, /* calls in the task, from any code */
		module,	   /* only calls that profil.ko makes, directly or indirectly */
	};

	explicit Faults(Of whose = Of::everybody);

private:
	std::deque<Setting> settings_;
};

/** The fail-nth of one task. */
class Injector {
public:
	/** 0 stands for this thread, any other number for the task with that ID. */
	explicit Injector(pid_t task = 0);
	~Injector() { disarm(); }

	void arm(unsigned n) const;
	void disarm() const;
	/** True if the chosen call has failed. */
	bool fired() const;

private:
	Fd file_;
};

/**
 * Fail the first call that can fail, in the next run the second, and so on, until a run has fewer
 * calls.  `run` gets the call's number, and returns true if that call failed.  Returns the number
 * of failed calls.
 */
unsigned sweep(const std::function<bool(unsigned n)> &run);

/**
 * sweep() in increasing steps, for operations that fail hundreds of times in the kernel's own code,
 * such as fork and exec.
 */
void sweep_faster(const std::function<bool(unsigned n)> &run);

} // namespace guest
