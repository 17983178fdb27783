// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/objects/jit_files.h  The files in which a process tells the names of code that it makes. */
#pragma once

#include "cli/base/fd.h"
#include "cli/objects/jit_symbols.h"
#include "cli/process/process.h"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>

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
	/** @param parent of whose fork the process is and whose code it has inherited, or NULL. */
	explicit JitFiles(pid_t pid, std::shared_ptr<JitFiles> parent = nullptr);

	/** Open the map, as the parent's, if it is there by now, and its process's own or root's: often. */
	void look();
	/** A jitdump that the process has mapped; once or more often. */
	void add_dump(const Fd &file);
	/** Is there a jitdump? */
	[[nodiscard]] bool has_dumps() const { return !dumps_.empty(); }
	/** What they say now; the parent's of what the process does not tell itself. */
	[[nodiscard]] JitSymbols read() const;

private:
	/** Device and inode. */
	using FileId = std::pair<dev_t, ino_t>;

	[[nodiscard]] Fd open_map() const;

	pid_t pid_;
	std::shared_ptr<JitFiles> parent_;
	std::optional<ProgramStart> start_; /* another program's map tells nothing of our code */
	std::chrono::steady_clock::time_point next_look_;
	Fd map_;
	std::map<FileId, Fd> dumps_;
};

} // namespace cli
