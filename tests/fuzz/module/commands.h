// SPDX-License-Identifier: GPL-2.0-or-later
// The commands of /dev/profil with everything that can be said wrongly.
#pragma once

#include "tests/fuzz/module/random.h"

#include <liburing.h>
#include <memory>
#include <sys/types.h>

namespace fuzz {

// Descriptors of /dev/profil have numbers of their own, which threads share.
constexpr int first_device = 500;
constexpr unsigned nr_devices = 6;

void open_device(Random &random);
void close_device(Random &random);
void read_events(Random &random);
// What /proc/self/fdinfo says of a device.
void read_facts(Random &random);

// A thread's ring, made when it is first used.  A forked child forgets its
// parent's, which is shared with it.
class Ring {
public:
	~Ring();
	// A command; 0 or its error, negative when there is no ring to be had.
	int call(Random &random, int fd, unsigned command, void *structure, uint32_t size);
	// Some commands that nobody waits for; then the end of the ring.
	void abandon(Random &random, int fd);
	void forget() { ring_ = nullptr; }

private:
	// Now and then for a worker.
	io_uring_sqe *prepare(Random &random, int fd, unsigned command, void *structure, uint32_t size);
	io_uring *ring_ = nullptr;
};

extern thread_local Ring thread_ring;

// Any command, with a target to attach to; checks what came of it.
void run_command(Random &random, pid_t target);

} // namespace fuzz
