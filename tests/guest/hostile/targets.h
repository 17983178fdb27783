// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/hostile/targets.h  Processes that the test blocks at a moment of its choice,
 * in each of the ways that a user can.
 */
#pragma once

#include "tests/guest/hostile/support.h"

#include <memory>

namespace guest::hostile {

/** A process of the attacker that can be followed and then blocked. */
class Target {
public:
	virtual ~Target() = default;

	virtual pid_t pid() const = 0;
	/** Block the process, and wait until it is blocked. */
	virtual void stand_still() = 0;
	/** End the process's wait, so that the process can be killed. */
	virtual void let_go() {}
};

struct Standstill {
	const char *name;
	std::unique_ptr<Target> (*make)();
	bool needs_fuse;
};

/**
 * Stopped by a signal; in vfork; holding mmap_lock for writing; in an exec that waits for
 * mmap_lock.
 */
extern const Standstill standstills[4];
/** The last of these targets, which also holds its exec_update_lock for writing. */
std::unique_ptr<Target> stuck_exec();

/** The letter of a process's state in /proc. */
char state_of(pid_t pid, pid_t thread = 0);

} // namespace guest::hostile
