// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/work.h  The work of a profiled program, one thing at a time. */
#pragma once

#include <array>
#include <string>

namespace bench {

/** A loop of two instructions, without any system calls. */
void burn(long n);

/** The loop of burn() at other addresses, to see where the time goes. */
extern const std::array<void (*)(long), 4> loops;

struct Work {
	void (*prepare)();
	void (*run)();
	unsigned long units; /**< parts of a run, to divide its cost by */
	unsigned runs;	     /**< the number of measured runs */
};

/** Finds work by its name in cost.cpp's usage; an unknown name ends the program. */
const Work &find_work(const std::string &name);

} // namespace bench
