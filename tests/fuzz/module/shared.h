// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/fuzz/module/shared.h  The state of a run: counts, and the first failure. */
#pragma once

#include <atomic>
#include <cstdint>
#include <sys/types.h>

namespace fuzz {

constexpr unsigned max_workers = 16;

struct Shared {
	uint64_t seed;
	bool among_others; /* leave other users' profiles alone */
	bool together;	   /* the threads of a worker share one file and one target */
	std::atomic<bool> stop, failed;
	char why[400];
	char guarded[64];   /* a set-uid copy of this program */
	char group[64];	    /* a memory cgroup with little memory; empty without cgroups */
	char slow_file[64]; /* a FUSE file whose pages may never come; empty without FUSE */
	std::atomic<uint64_t> commands, succeeded, refused, by_ring, forks, execs, recordings, kills;
	/*
	 * Reads of the slow file; reads answered late; reads never answered; and commands that
	 * waited for a page of the file or of a userfaultfd.
	 */
	std::atomic<uint64_t> slow_reads, slow_late, slow_never, waited;
	std::atomic<pid_t> worker[max_workers];
};

extern Shared *shared;

/** The position of this thread, for messages. */
struct Place {
	unsigned worker, generation, thread, depth;
	uint64_t step;
};
extern thread_local Place place;

/** Reports a broken invariant and how to reproduce it, and ends the run. */
[[gnu::format(printf, 1, 2)]] void complain(const char *format, ...);

} // namespace fuzz
