// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * @file gmon_calls.h
 * Who called whom, and how often: what a compiler's -pg counts.
 *
 * Threads and signal handlers count at the same time, none waits for another
 * and no call is lost.  The table is in memory that the kernel wipes in a child
 * made by fork, so that each process counts its own calls.
 */
#pragma once

#include <cstddef>
#include <cstdint>

namespace libprofil {

/** One caller's calls of one function. */
struct Call {
	uintptr_t from; /**< where the call returns to */
	uintptr_t self; /**< in the function that was called */
	uint64_t count;
	uint32_t next; /**< in the chain, or 0 */
	uint32_t unused;
};

/** The table; all zero, it is empty. */
struct Calls {
	static constexpr uint32_t chains = 1 << 16;
	static constexpr uint32_t most = 1 << 20;

	uint32_t first[chains];
	uint32_t used;
	uint32_t unused;
	uint64_t lost;	 /**< calls for which there was no room */
	Call call[most]; /**< the first is never used */
};

/**
 * Count in a new table from now on.
 *
 * The one before stays mapped: threads may be in it.
 * @return 0, or ENOMEM: nothing is counted then.
 */
[[nodiscard]] int begin_calls();

/** Count in the table, or not for a while. */
void switch_calls(bool on);

/** The table, or nullptr if there is none. */
[[nodiscard]] const Calls *counted_calls();

} // namespace libprofil

/**
 * A function has been called: what mcount and __fentry__ come to.
 *
 * Compiled to leave floating-point and vector registers alone, which may hold
 * arguments.
 */
extern "C" void libprofil_count_call(uintptr_t from, uintptr_t self);
