// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/support/fuse.h  A FUSE file system with one file, whose server decides when each
 * page arrives.  For the guest tests and for the fuzzer, so it does not use Catch2.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <linux/fuse.h>
#include <optional>
#include <string>

namespace support {

/** True if this kernel has FUSE.  Loads its module if need be. */
bool fuse_available();

/**
 * A directory with a mounted file system.  The file system lives as long as a process has the
 * device open; after that, pending accesses to its pages fail.
 */
class FuseMount {
public:
	/** Mounts the file system; throws std::system_error. */
	FuseMount();
	FuseMount(const FuseMount &) = delete;
	FuseMount &operator=(const FuseMount &) = delete;
	~FuseMount();

	/** Mount a new file system in place of one that was unmounted; throws std::system_error. */
	void mount();
	int device() const { return device_; }
	/** Close our descriptor of the device: the server, a child of this process, has its own. */
	void close_device();
	/** Take the file system out of the tree; it lives while its server has the device. */
	void unmount();
	/** The file, which every user may map privately. */
	const std::string &path() const { return path_; }

private:
	const std::string directory_, path_;
	int device_ = -1;
	bool mounted_ = false;
};

/**
 * The part of <linux/fuse.h>'s protocol that one file full of zeroes needs.  All requests are
 * answered at once except reads, which the caller answers.  Needs a process of its own, which does
 * nothing else.
 */
class FuseServer {
public:
	/** Open flags that make mmap(2) wait for pages being read, and drop the cached pages. */
	static constexpr uint32_t fresh_pages = FOPEN_DIRECT_IO;
	/**
	 * Kernel flags that turn on the writeback cache.  This server then never answers
	 * FUSE_SETATTR, with which the kernel updates the times of a written file, so the last
	 * close of such a file hangs.
	 */
	static constexpr uint32_t never_closes = FUSE_WRITEBACK_CACHE;

	struct Read {
		uint64_t unique;
		uint32_t bytes;
	};

	FuseServer(int device, size_t bytes, uint32_t open_flags, uint32_t kernel_flags = 0);

	/** Serve one request if one comes soon; returns it if it is a read.  Exits on unmount. */
	std::optional<Read> serve();
	/** Reply with zeroes. */
	void answer(const Read &read) const;

private:
	std::optional<Read> obey(const fuse_in_header &header, const char *argument) const;
	void init(const fuse_in_header &header, const fuse_init_in &in) const;
	void look_up(const fuse_in_header &header, const char *name) const;
	void tell_attributes(const fuse_in_header &header) const;
	void open_file(const fuse_in_header &header) const;
	fuse_attr attributes(uint64_t node) const;
	void reply(uint64_t unique, int error, const void *data = nullptr, size_t bytes = 0) const;

	const int device_;
	const size_t bytes_;
	const uint32_t open_flags_, kernel_flags_;
};

} // namespace support
