// SPDX-License-Identifier: GPL-2.0-or-later
/** @file jit_files.h  The files in which a process tells the names of code that it makes. */
#pragma once

#include "cli/fd.h"
#include "cli/jit_symbols.h"

#include <chrono>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace cli {

/** Is this the name of a jitdump, "jit-4711.dump"? */
bool is_jitdump(std::string_view name);

/**
 * What a process's JIT compiler tells, by /tmp/perf-PID.map or by a jitdump.
 *
 * Files are held open: when the names are asked for, the process, and with it
 * the root directory in which they are, may be gone.
 */
class JitFiles {
public:
	explicit JitFiles(pid_t pid) : pid_(pid) {}

	/** Open the map if it is there by now, and is the process's own or root's; ask often. */
	void look();
	/** A jitdump that the process has mapped. */
	void add_dump(const Fd &file);
	/** What they say now. */
	[[nodiscard]] JitSymbols read() const;

private:
	pid_t pid_;
	std::chrono::steady_clock::time_point next_look_;
	Fd map_;
	std::vector<Fd> dumps_;
};

} // namespace cli
