// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/hostile/targets.h  Processes of a user that stand still in every way that a user can
 * bring about, at a moment that the test chooses.
 */
#pragma once

#include "tests/guest/hostile/support.h"

#include <memory>

namespace guest::hostile {

/** A process of the attacker.  It can be followed, and then be made to stand still. */
class Target {
public:
	virtual ~Target() = default;

	virtual pid_t pid() const = 0;
	/** Make it stand still, and wait until it does. */
	virtual void stand_still() = 0;
	/** Let go of what it waits for, so that it can be killed. */
	virtual void let_go() {}
};

struct Standstill {
	const char *name;
	std::unique_ptr<Target> (*make)();
	bool needs_fuse;
};

/** Stopped by a signal; in vfork; with mmap_lock held for writing; in an exec that waits for that lock. */
extern const Standstill standstills[4];
/** The last of these: it holds its exec_update_lock for writing. */
std::unique_ptr<Target> stuck_exec();

/** The letter of a process's state in /proc. */
char state_of(pid_t pid, pid_t thread = 0);

} // namespace guest::hostile
