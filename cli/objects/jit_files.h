// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/objects/jit_files.h  The files in which a process names the code that it generates. */
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

/** True for the name of a jitdump, such as "jit-4711.dump". */
bool is_jitdump(std::string_view name);

/**
 * The /tmp/perf-PID.map and the jitdumps written by a process's JIT compiler.
 *
 * The files are kept open: when their names are needed, the process may be gone,
 * and the root directory that contains them with it.
 */
class JitFiles {
public:
	/** @param parent the process that forked this one, which inherited its code; or nullptr. */
	explicit JitFiles(pid_t pid, std::shared_ptr<JitFiles> parent = nullptr);

	/**
	 * Open the process's map and its parent's, each if it exists by now and belongs to that
	 * process's user or to root.  Call this often, and again soon after the process has ended,
	 * because it may write its map just before that.
	 */
	void look();
	/** Add a jitdump that the process has mapped; adding it again does nothing. */
	void add_dump(const Fd &file);
	/** True if there is a jitdump. */
	[[nodiscard]] bool has_dumps() const { return !dumps_.empty(); }
	/** The files' current symbols; the parent's for addresses where the process has none. */
	[[nodiscard]] JitSymbols read();

private:
	/** Device and inode. */
	using FileId = std::pair<dev_t, ino_t>;

	void look_at_running(const ProcessFacts &facts);
	void look_at_ended();

	pid_t pid_;
	std::shared_ptr<JitFiles> parent_;
	std::optional<ProgramStart> start_; /* the map of another program does not describe our code */
	std::chrono::steady_clock::time_point next_look_;
	bool over_ = false;		/* the process has ended, or executed another program */
	std::shared_ptr<Fd> directory_; /* the process's /tmp, which outlives it; nullptr once over */
	std::string name_;		/* name of the map in directory_ */
	uid_t user_ = 0;
	Fd map_;
	std::map<FileId, Fd> dumps_;
};

} // namespace cli
