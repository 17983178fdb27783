// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/fuzz/module/slow_file.h  A FUSE file for counters, whose pages come at once, late, or
 * never. */
#pragma once

#include "tests/fuzz/module/random.h"
#include "tests/support/fuse.h"

#include <optional>
#include <sys/types.h>

namespace fuzz {

/**
 * A file that belongs to the main process; workers find its path in the shared state.  A task that
 * waits for a page may not react to signals.  So the server is killed now and then, and before the
 * main process waits for workers to end.
 */
class SlowFile {
public:
	/** Much more than is read during one server's life, so most pages are not in memory. */
	static constexpr size_t bytes = 256 << 20;

	/** If this kernel has no FUSE, prints that once, and makes no file. */
	SlowFile();
	SlowFile(const SlowFile &) = delete;
	SlowFile &operator=(const SlowFile &) = delete;
	~SlowFile();

	/** End the server, so that accesses that wait for a page fail, and start another one. */
	void restart();
	/** End the server for good. */
	void end();

private:
	[[noreturn]] void serve(pid_t parent) const;
	void start();
	void end_server();

	std::optional<support::FuseMount> mount_;
	pid_t server_ = 0;
	unsigned servers_ = 0;
};

} // namespace fuzz
