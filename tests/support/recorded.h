// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/support/recorded.h  Runs of profil, and the contents of recorded profiles. */
#pragma once

#include "tests/support/catch.h"
#include "tests/support/children.h"
#include "tests/support/debug_kernel.h"
#include "tests/support/programs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace support {

using Json = nlohmann::json;

inline std::string profil_path()
{
	return support::build_dir() + "/profil";
}

/** Run profil with arguments as in a shell. */
inline Output profil(const std::string &arguments)
{
	return run(profil_path() + " " + arguments);
}

inline bool has(const std::string &text, const std::string &part)
{
	return text.find(part) != std::string::npos;
}

inline size_t lines(const std::string &text)
{
	return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

/** A file's report.  Checks that it has every tick, and that its rows have every counted tick. */
inline Json report(const std::string &file, const std::string &by = "function")
{
	const Output output = profil("report --json --by " + by + " " + file);

	INFO(output.text);
	REQUIRE(output.status == 0);
	Json json = Json::parse(output.text);
	uint64_t causes = 0;
	uint64_t rows = 0;

	for (const auto &[cause, ticks] : json["ticks"].items())
		causes += cause == "total" || cause == "lost_unowned" || cause == "forks_lost"
				  ? 0
				  : ticks.get<uint64_t>();
	for (const Json &row : json["rows"])
		rows += row["samples"].get<uint64_t>();
	CHECK(json["ticks"]["total"] == causes);
	CHECK(json["samples"] == rows);
	CHECK(json["ticks"]["counted"] == rows);
	return json;
}

/** The samples in a file, by "NAME", or by "NAME PID" if the file has PIDs. */
inline std::map<std::string, uint64_t> by_process(const std::string &file)
{
	const Output rows = profil("report --json --sort process " + file);
	std::map<std::string, uint64_t> all;

	INFO(rows.text);
	REQUIRE(rows.status == 0);
	const Json json = Json::parse(rows.text);

	for (const Json &row : json["rows"]) {
		std::string name = row["process"];

		if (row.contains("pid"))
			name += " " + std::to_string(row["pid"].get<int>());
		all[name] += row["samples"].get<uint64_t>();
	}
	return all;
}

/** The samples of all threads, and of interrupts and softirqs, which have no thread. */
inline uint64_t samples_by_thread(const std::string &file)
{
	uint64_t sum = 0;
	const Json json = report(file);

	for (const Json &thread : json.value("threads", Json::array()))
		sum += thread["samples"].get<uint64_t>();
	for (const auto &[process, samples] : by_process(file))
		sum += process.starts_with("[") ? samples : 0;
	return sum;
}

/** The values of one type in a file, by function. */
inline std::map<std::string, uint64_t> values_of(const std::string &file, const std::string &type)
{
	const Output output = profil("report --json --value " + type + " " + file);
	std::map<std::string, uint64_t> values;

	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json json = Json::parse(output.text);

	for (const Json &row : json["rows"])
		values[row["function"]] += row["samples"].get<uint64_t>();
	return values;
}

/**
 * The function with the most samples; in a debug kernel, outside the kernel.
 *
 * @param nth  0: the function with the most samples; 1: the next one; and so on
 */
inline std::string hottest(const Json &json, size_t nth = 0)
{
	const bool debug = on_debug_kernel();

	for (const Json &row : json["rows"]) {
		const bool of_kernel = row["object"] == "[kernel]" || row["function"] == "[kernel]";

		if (!(debug && of_kernel) && nth-- == 0)
			return row["function"].get<std::string>();
	}
	return "none";
}

/** A function's percentage of the samples or, with --by object, an object's. */
inline double percent(const Json &json, const std::string &name)
{
	double sum = 0;

	for (const Json &row : json["rows"]) {
		const std::string key = json["by"] == "object" ? "object" : "function";

		if (row[key] == name)
			sum += row["percent"].get<double>();
	}
	return sum;
}

/** Start a program in the background, at priority @p nice; its output goes to a file. */
inline Child start(std::vector<std::string> arguments, const std::string &output = "/dev/null", int nice = 0)
{
	std::ofstream create(output);

	return Child([&] {
		std::vector<char *> pointers;

		for (std::string &argument : arguments)
			pointers.push_back(argument.data());
		pointers.push_back(nullptr);
		setpriority(PRIO_PROCESS, 0, nice);
		if (freopen(output.c_str(), "w", stdout) && dup2(STDOUT_FILENO, STDERR_FILENO) >= 0)
			execvp(pointers[0], pointers.data());
		_exit(127);
	});
}

/** Wait for the end of a child.  Returns the exit status, or 128 plus the signal. */
inline int end_of(Child &child)
{
	const int status = child.reap();

	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/** The pid of a process's only child, once there is one. */
inline pid_t child_of(pid_t pid)
{
	const std::string path =
		"/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children";

	REQUIRE(soon([&] { return !read_file(path).empty(); }));
	return std::stoi(read_file(path));
}

/** The thread of a process with this name, once it exists. */
inline pid_t thread_named(pid_t pid, const std::string &name)
{
	pid_t found = 0;

	REQUIRE(soon([&] {
		for (const auto &task :
		     std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task"))
			if (read_file(task.path() / "comm") == name + "\n")
				found = std::stoi(task.path().filename());
		return found != 0;
	}));
	return found;
}

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
