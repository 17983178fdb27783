// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/process/process.h  Facts about a process from /proc. */
#pragma once

#include "cli/base/result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <sys/types.h>

namespace cli {

/** Check that process @p pid can be profiled in user mode; the error says why it cannot. */
Outcome check_process(pid_t pid);

/** The facts that a search for processes uses. */
struct ProcessFacts {
	std::string name;  /**< as shown by ps(1), completed if the kernel has cut it off */
	uid_t user = 0;	   /**< effective */
	pid_t own_pid = 0; /**< its PID in its innermost PID namespace */
	bool zombie = false;
	bool has_memory = false; /**< false for a kernel thread */
};

/** The facts about a process; nullopt if it is gone or hidden from us. */
std::optional<ProcessFacts> process_facts(pid_t pid);

/** Check that thread @p tid can be profiled; the error says why it cannot. */
Outcome check_thread(pid_t tid);

/** True if the process is gone, or a zombie. */
bool has_ended(pid_t pid);

/** The PIDs of all processes.  @param root prefix of "/proc". */
std::set<pid_t> all_processes(const std::string &root = "");

/**
 * The fields of a /proc/PID/stat from number @p first (as in proc(5)) on; none if
 * @p stat has no name.  The name may contain spaces and parentheses.
 * @param first must be above 2.
 */
std::istringstream stat_fields(const std::string &stat, int first);

/** Set by exec, inherited by fork: equal values mean the same exec. */
struct ProgramStart {
	std::string path;
	std::array<uint64_t, 3> addresses; /**< start and end of the code, start of the stack */
	bool operator==(const ProgramStart &) const = default;
};

/** The ProgramStart of a process or a thread; nullopt if it is gone or hidden from us. */
std::optional<ProgramStart> program_start(pid_t pid);

/** The current parent of a process; 0 if @p pid is gone or its parent is in another PID namespace. */
pid_t parent_of(pid_t pid);

/** True if this process sees all PIDs of the machine; false in a container's PID namespace. */
bool sees_all_pids();

/** The process of a thread; @p tid itself if it is gone. */
pid_t process_of(pid_t tid);

/** The short name of a process, "?" if it is gone. */
std::string process_name(pid_t pid);

/** The path of a process's program; empty if we may not read it. */
std::string program_path(pid_t pid);

} // namespace cli
