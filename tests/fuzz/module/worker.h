// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/fuzz/module/worker.h  A worker process of the fuzzer, whose threads do random
 * operations.
 */
#pragma once

#include <cstdint>

namespace fuzz {

/**
 * Never returns.  A worker's actions depend on the seed, its number, and its generation: the
 * number of workers that had the same number before it.
 */
[[noreturn]] void be_worker(unsigned number, unsigned generation, unsigned threads);

/** Uses some CPU time, in user mode and in the kernel. */
void burn(uint64_t rounds);

} // namespace fuzz
