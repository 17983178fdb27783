// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/support/leftovers.h  What a test case leaves behind when its process has ended: other
 * processes, and more of anything that the test program has registered.
 */
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace support {

/** Something that a test may leave behind. */
struct Leftover {
	const char *name;
	int64_t (*amount)();
};

/** Registers kinds of leftovers while the program starts. */
struct Leftovers {
	explicit Leftovers(std::vector<Leftover> kinds);
};

/** The amounts of all registered kinds. */
using Amounts = std::vector<int64_t>;

/**
 * Measured before and after each test: a test is blamed for the difference only, so that what one
 * test leaves behind does not fail the later ones.
 */
Amounts leftover_amounts();

/** Orphans of tests become children of this process from now on, which has to wait for them. */
void adopt_orphans();

/**
 * Wait until nothing is left behind; give up after a long time, and end the processes that are
 * left.  Returns a line for each thing that was left.
 */
std::vector<std::string> await_no_leftovers(const Amounts &before);

} // namespace support
