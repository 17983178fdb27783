// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * @file libprofil/gmon/calls.h
 * The calls that gcc -pg counts: caller, function and number of calls.
 *
 * Threads and signal handlers count at the same time, without waiting for each
 * other and without losing a call.  The kernel wipes the table in a child made by
 * fork, so that each process counts only its own calls.
 */
#pragma once

#include <cstddef>
#include <cstdint>

namespace libprofil {

/** The calls of one function from one call site. */
struct Call {
	uintptr_t from;		   /**< return address of the call */
	uintptr_t self;		   /**< address in the called function */
	alignas(8) uint64_t count; /**< aligned also for i386, which would align it to 4 */
	uint32_t next;		   /**< in the chain, or 0 */
	uint32_t unused;
};

/** The table of calls.  All zero is an empty table. */
struct Calls {
	static constexpr uint32_t chains = 1 << 16;
	static constexpr uint32_t most = 1 << 20;

	uint32_t first[chains];
	uint32_t used;
	uint32_t unused;
	alignas(8) uint64_t lost; /**< calls for which there was no room */
	Call call[most];	  /**< element 0 is never used */
};

/**
 * Count in a new table from now on.
 *
 * The previous table stays mapped, because threads may still use it.
 * @return 0, or ENOMEM: then nothing is counted.
 */
[[nodiscard]] int begin_calls();

/** Resume or pause counting. */
void switch_calls(bool on);

/** The table, or nullptr if there is none. */
[[nodiscard]] const Calls *counted_calls();

} // namespace libprofil

/**
 * Count one call.  mcount and __fentry__ call this.
 *
 * It is compiled so that it does not touch floating-point and vector registers, which
 * may hold arguments.
 */
extern "C" void libprofil_count_call(uintptr_t from, uintptr_t self);
