// SPDX-License-Identifier: GPL-2.0-or-later
// Failures on order: the kernel's fault injection, for kernels that have it.
//
// Documentation/fault-injection/fault-injection.rst of the kernel: what is
// written to a task's fail-nth is counted down by every allocation and every
// copy from or to user space that may fail; the one that reaches 0 does.
#pragma once

#include "tests/guest/support/guest.h"

#include <deque>

namespace guest {

// Which calls may fail, while it lives.
class Faults {
public:
	enum class Of {
		everybody, // in the task, whoever makes them
		module,	   // only those that profil.ko makes, or has made for it
	};

	explicit Faults(Of whose = Of::everybody);

private:
	std::deque<Setting> settings_;
};

// The fail-nth of one task.
class Injector {
public:
	// This thread, or any task by its ID.
	explicit Injector(pid_t task = 0);
	~Injector() { disarm(); }

	void arm(unsigned n) const;
	void disarm() const;
	// Has the call that was to fail been reached?
	bool fired() const;

private:
	Fd file_;
};

// Let the first call that can fail do so, then the second ... until a run has
// not so many.  `run` is called with the number, and says whether it came to
// the failure.  Returns how many there were.
unsigned sweep(const std::function<bool(unsigned n)> &run);

// In steps that get longer: for what fails hundreds of times in the kernel's
// own code, such as fork and exec.
void sweep_faster(const std::function<bool(unsigned n)> &run);

} // namespace guest
