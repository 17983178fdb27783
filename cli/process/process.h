// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/process/process.h  What /proc says about a process. */
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

/** Nothing if @p pid can have a user-mode profile; else why not. */
Outcome check_process(pid_t pid);

/** What a search goes by. */
struct ProcessFacts {
	std::string name;  /**< as ps(1) shows it, or that of its program where the kernel cut it off */
	uid_t user = 0;	   /**< effective */
	pid_t own_pid = 0; /**< in the innermost PID namespace that it is in */
	bool zombie = false;
	bool has_memory = false; /**< kernel threads have none */
};

/** Nothing if it is gone, or hidden from us. */
std::optional<ProcessFacts> process_facts(pid_t pid);

/** Can a thread with this number be profiled?  If not, the error says why. */
Outcome check_thread(pid_t tid);

/** Is it gone, or waiting for its parent to take note? */
bool has_ended(pid_t pid);

/** All that there are.  @param root what stands for "/". */
std::set<pid_t> all_processes(const std::string &root = "");

/**
 * The fields of a /proc/PID/stat, as proc(5) numbers them, to be read from one on;
 * nothing if it has no name, which may hold spaces and parentheses of its own.
 * @param first above 2.
 */
std::istringstream stat_fields(const std::string &stat, int first);

/** What an exec sets, and a fork leaves as it is: who has the same has it of the same exec. */
struct ProgramStart {
	std::string path;
	std::array<uint64_t, 3> addresses; /**< of its code's start and end, and of its stack */
	bool operator==(const ProgramStart &) const = default;
};

/** Nothing if it is gone, or we may not look into its memory.  @param pid of a process or a thread. */
std::optional<ProgramStart> program_start(pid_t pid);

/** Who has forked a process, or taken it over since; 0 if it is gone, or of another PID namespace. */
pid_t parent_of(pid_t pid);

/** The process that a thread is of; its own number if it is gone. */
pid_t process_of(pid_t tid);

/** Its short name, "?" if it is gone. */
std::string process_name(pid_t pid);

/** Path of its program; empty if it may not be seen. */
std::string program_path(pid_t pid);

} // namespace cli
