// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/support/leftovers.h  Leftovers of a test case whose process has ended: processes
 * that still run, and an increase in any amount that the test program has registered.
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
 * The amounts now.  They are measured before and after each test.  Only an increase fails it, so
 * one test's leftovers do not fail later tests.
 */
Amounts leftover_amounts();

/** From now on, adopt orphans of tests as children of this process, which has to wait for them. */
void adopt_orphans();

/**
 * Wait until no leftovers remain; give up after a long time, and end the remaining processes.
 * Returns a line for each leftover.
 */
std::vector<std::string> await_no_leftovers(const Amounts &before);

} // namespace support
