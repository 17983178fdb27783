// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/work.h  What a profiled program does, one thing at a time. */
#pragma once

#include <array>
#include <string>

namespace bench {

/** A loop of two instructions: nothing that could meet the kernel. */
void burn(long n);

/** The same in other places, for who wants to know where the time goes. */
extern const std::array<void (*)(long), 4> loops;

struct Work {
	void (*prepare)();
	void (*run)();
	unsigned long units; /**< in a run: what its cost is divided by */
	unsigned runs;	     /**< that are measured */
};

/** By its name, see cost.cpp; ends the program where there is none. */
const Work &find_work(const std::string &name);

} // namespace bench
