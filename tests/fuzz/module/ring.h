// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/fuzz/module/ring.h  Commands by io_uring. */
#pragma once

#include "tests/fuzz/module/random.h"

#include <cstdint>
#include <liburing.h>

namespace fuzz {

/**
 * A thread's ring, made when it is first used.  A forked child forgets its
 * parent's, which is shared with it.
 */
class Ring {
public:
	~Ring();
	/** A command; 0 or its error, negative when there is no ring to be had. */
	int call(Random &random, int fd, unsigned command, void *structure, uint32_t size);
	/** Some commands that nobody waits for; then the end of the ring. */
	void abandon(Random &random, int fd);
	void forget() { ring_ = nullptr; }

private:
	/** Now and then for a worker. */
	io_uring_sqe *prepare(Random &random, int fd, unsigned command, void *structure, uint32_t size);
	io_uring *ring_ = nullptr;
};

extern thread_local Ring thread_ring;

} // namespace fuzz
