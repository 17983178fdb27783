// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/support/fuse.h  A file in a FUSE file system that the test itself serves, so
 * that the test decides when a page of it arrives, if ever.
 */
#pragma once

#include "tests/guest/support/guest.h"
#include "tests/support/fuse.h"

#include <atomic>
#include <sys/mman.h>

namespace guest {

/**
 * A file full of zeroes.  Every user may map it privately; the kernel reads each page once for each
 * mapping.  The server is a process of its own: when it ends, so does the file system, and all
 * accesses that wait for a page fail.
 */
class FuseFile {
public:
	/** @param closes  false: the last close(2) of the file waits for ever if it was written */
	explicit FuseFile(size_t bytes, bool closes = true);
	FuseFile(const FuseFile &) = delete;
	FuseFile &operator=(const FuseFile &) = delete;
	~FuseFile();

	size_t bytes() const { return bytes_; }
	const std::string &path() const { return mount_.path(); }

	/**
	 * From now on reads get no answer.  Any process may call this and the next three functions.
	 */
	void hold() const { state()->held = true; }
	/** Answer the waiting reads, and all later ones. */
	void go_on() const { state()->held = false; }
	/** The number of reads that wait for an answer. */
	unsigned waiting() const { return state()->waiting; }
	/** Wait until a read waits for an answer; throw when none does. */
	void await_reader() const;

	/** End the file system.  Call this before ending anything that may wait for it. */
	void abort();

private:
	struct State {
		std::atomic<bool> held;
		std::atomic<unsigned> waiting;
	};

	State *state() const { return shared_.at<State>(); }

	const size_t bytes_;
	const bool closes_;
	const Memory shared_{4096, MAP_SHARED};
	support::FuseMount mount_;
	Child server_;

	[[noreturn]] void serve() const;
};

/** The caller's private mapping of such a file; its pages can be dropped. */
class FuseMemory {
public:
	explicit FuseMemory(const FuseFile &file);

	template <typename T = void> T *at(size_t offset = 0) const { return memory_.at<T>(offset); }
	/** Forget all pages: the next access reads the file. */
	void drop() const;

private:
	const Fd file_;
	const Memory memory_;
};

} // namespace guest
