// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/fuzz/module/ring.h  Commands through io_uring. */
#pragma once

#include "tests/fuzz/module/random.h"

#include <cstdint>
#include <liburing.h>

namespace fuzz {

/**
 * A thread's ring, made on first use.  A forked child shares its parent's ring, and so
 * forgets it.
 */
class Ring {
public:
	~Ring();
	/** Runs a command; returns 0 or its error, or a negative number without a ring. */
	int call(Random &random, int fd, unsigned command, void *structure, uint32_t size);
	/** Submits some commands, and ends the ring without waiting for them. */
	void abandon(Random &random, int fd);
	void forget() { ring_ = nullptr; }

private:
	/** Prepares a command, now and then with IOSQE_ASYNC. */
	io_uring_sqe *prepare(Random &random, int fd, unsigned command, void *structure, uint32_t size);
	io_uring *ring_ = nullptr;
};

extern thread_local Ring thread_ring;

} // namespace fuzz
