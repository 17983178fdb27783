// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/support/recorded.h  Runs of profil, and the contents of recorded profiles. */
#pragma once

#include "tests/support/catch.h"
#include "tests/support/children.h"
#include "tests/support/json.h"
#include "tests/support/programs.h"
#include "tests/support/text.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace support {

inline std::string profil_path()
{
	return support::build_dir() + "/profil";
}

/** Run profil with arguments as in a shell. */
inline Output profil(const std::string &arguments)
{
	return run(profil_path() + " " + arguments);
}

/** A file's report.  Checks that it has every tick, and that its rows have every counted tick. */
Json report(const std::string &file, const std::string &by = "function");

/** The samples in a file, by "NAME", or by "NAME PID" if the file has PIDs. */
std::map<std::string, uint64_t> by_process(const std::string &file);

/** The samples of all threads, and of interrupts and softirqs, which have no thread. */
uint64_t samples_by_thread(const std::string &file);

/** The samples that `profil report` shows of a file with these options, by function. */
std::map<std::string, uint64_t> functions_in(const std::string &file, const std::string &options);

/** The values of one type in a file, by function. */
std::map<std::string, uint64_t> values_of(const std::string &file, const std::string &type);

/**
 * The row with the most samples; in a debug kernel, outside the kernel.
 *
 * @param nth  0: the row with the most samples; 1: the next one; and so on
 * @return     a row without members if there are not that many
 */
Json hottest_row(const Json &json, size_t nth = 0);

/** The function of that row, or "none". */
std::string hottest(const Json &json, size_t nth = 0);

/** True if an object has samples. */
bool has_rows_of(const Json &json, const std::string &object);

/** The samples in the kernel. */
uint64_t samples_in_kernel(const Json &json);

/** A function's percentage of the samples or, with --by object, an object's. */
double percent(const Json &json, const std::string &name);

/** Start a program in the background, at priority @p nice; its output goes to a file. */
Child start(std::vector<std::string> arguments, const std::string &output = "/dev/null", int nice = 0);

/** Wait for the end of a child.  Returns the exit status, or 128 plus the signal. */
int end_of(Child &child);

/** The pid of a process's only child, once there is one. */
pid_t child_of(pid_t pid);

/** The thread of a process with this name, once it exists. */
pid_t thread_named(pid_t pid, const std::string &name);

/** A shell that executes a program on request, so that recording can begin before the exec. */
class HeldProgram {
public:
	explicit HeldProgram(const std::string &name)
		: path_(directory_ / "go"),
		  shell_((mkfifo(path_.c_str(), 0600),
			  start({"sh", "-c", "read word < " + path_ + "; exec " + program(name)})))
	{
	}

	[[nodiscard]] pid_t pid() const { return shell_.pid(); }
	void go() const { std::ofstream(path_) << "go\n"; }
	/** The program's exit status, or 128 plus the signal. */
	int end() { return end_of(shell_); }

private:
	TemporaryDirectory directory_;
	std::string path_;
	Child shell_;
};

} // namespace support
