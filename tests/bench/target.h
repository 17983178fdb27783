// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/target.h  Processes to attach to. */
#pragma once

#include <functional>
#include <sys/types.h>

namespace bench {

/** Forks a process that runs prepare(), then sleeps, and ends with us; returns after prepare(). */
pid_t standing_process(const std::function<void()> &prepare);

/** Forks a process that sleeps, and ends with us; returns when all its threads exist. */
pid_t target_with(unsigned threads);

} // namespace bench
