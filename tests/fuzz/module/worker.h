// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/fuzz/module/worker.h  One process of the fuzzer: threads that do one random thing after the other. */
#pragma once

#include <cstdint>

namespace fuzz {

/**
 * Never returns.  What it does depends on the seed, its number, and how many
 * of that number there were before it.
 */
[[noreturn]] void be_worker(unsigned number, unsigned generation, unsigned threads);

/** Some CPU time, in user mode and in the kernel. */
void burn(uint64_t rounds);

} // namespace fuzz
