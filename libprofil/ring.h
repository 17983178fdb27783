// SPDX-License-Identifier: LGPL-2.1-or-later
/** @file libprofil/ring.h  Issue many commands with one system call. */
#pragma once

#include "libprofil/add.h"

#include <cerrno>

#ifndef PROFIL_WITHOUT_URING
#include <liburing.h>
#endif

namespace libprofil {

#ifdef PROFIL_WITHOUT_URING

/** Built without liburing: there is no ring, so the caller uses ioctl(2). */
class Ring {
public:
	/** @return ENOSYS. */
	[[nodiscard]] int open(size_t) { return ENOSYS; }

	void close() {}

	/** Never reached: open() has failed. */
	void run(const Device &, std::span<Addition>, std::span<int>) {}
};

#else

/** An io_uring that issues PROFIL_ADD. */
class Ring {
public:
	Ring() = default;
	Ring(const Ring &) = delete;
	Ring &operator=(const Ring &) = delete;
	~Ring();

	/**
	 * Open the ring with room for this many commands.  If it is open but too small,
	 * replace it.
	 * @return 0, or an errno value if io_uring is not available.
	 */
	[[nodiscard]] int open(size_t entries);
	void close();

	/**
	 * Issue all commands and wait for all of them.
	 *
	 * When it returns, the kernel no longer uses their memory.
	 * @param results receives 0 or an errno value for each command;
	 *        ECANCELED for a command that the kernel never took from the ring.
	 */
	void run(const Device &device, std::span<Addition> additions, std::span<int> results);

private:
	void reap(std::span<int> results);

	io_uring ring_ = {};
	size_t entries_ = 0; /* 0: it is not open */
	unsigned in_flight_ = 0;
};

#endif

} // namespace libprofil
