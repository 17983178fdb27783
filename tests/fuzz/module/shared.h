// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/fuzz/module/shared.h  What all processes of a run share: numbers, and the first failure. */
#pragma once

#include <atomic>
#include <cstdint>
#include <sys/types.h>

namespace fuzz {

constexpr unsigned max_workers = 16;

struct Shared {
	uint64_t seed;
	bool among_others; /* whose profiles are to be left alone */
	std::atomic<bool> stop, failed;
	char why[400];
	std::atomic<uint64_t> commands, succeeded, refused, by_ring, forks, execs, attaches, kills;
	std::atomic<pid_t> worker[max_workers];
};

extern Shared *shared;

/** Who is at work in this thread, for messages. */
struct Place {
	unsigned worker, generation, thread, depth;
	uint64_t step;
};
extern thread_local Place place;

/** An invariant does not hold: say so with everything that repeats it, and end the run. */
[[gnu::format(printf, 1, 2)]] void complain(const char *format, ...);

} // namespace fuzz
