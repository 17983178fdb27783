// SPDX-License-Identifier: GPL-2.0-or-later
/* What a profiled program does, one thing at a time. */
#pragma once

#include <string>

namespace bench {

/** A loop of two instructions: nothing that could meet the kernel. */
void burn(long n);

struct Work {
	void (*prepare)();
	void (*run)();
	unsigned long units; ///< in a run: what its cost is divided by
};

/** By its name, see cost.cpp; ends the program where there is none. */
const Work &find_work(const std::string &name);

} // namespace bench
