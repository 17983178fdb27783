// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/support.h  What the tests of the command share: runs of profil and the
 * profiles that it recorded.
 */
#pragma once

#include "tests/guest/support/device.h"
#include "tests/guest/support/guest.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <linux/perf_event.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace cli_test {

using Json = nlohmann::json;
using guest::program;
using guest::read_file;
using guest::soon;
using support::Output;
using support::run;
using support::TemporaryDirectory;

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

/** The report of a file.  Checks that every tick is accounted for and every counted one is in a row. */
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

/** Samples by command name, or by "name (pid N)", in a file. */
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

/** The values of a type, by function. */
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

/** Percentage of the samples of a function or, with --by object, of an object. */
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

/**
 * Start a program in the background; its output goes to a file.  Programs other than profil run at
 * the lowest priority, so that tests need not wait for the processes they profile.
 */
inline guest::Child start(std::vector<std::string> arguments, const std::string &output = "/dev/null")
{
	std::ofstream create(output);

	return guest::Child([&] {
		std::vector<char *> pointers;

		for (std::string &argument : arguments)
			pointers.push_back(argument.data());
		pointers.push_back(nullptr);
		if (arguments[0] != profil_path())
			setpriority(PRIO_PROCESS, 0, 19);
		if (freopen(output.c_str(), "w", stdout) && dup2(STDOUT_FILENO, STDERR_FILENO) >= 0)
			execvp(pointers[0], pointers.data());
		_exit(127);
	});
}

/** Wait for the end of a child.  Returns the exit status, or 128 plus the signal. */
inline int end_of(guest::Child &child)
{
	const int status = child.reap();

	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/** A shell that executes a program when it is told to: by then it is recorded, and nothing is missed. */
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
	/** Its exit status, or 128 plus the signal. */
	int end() { return end_of(shell_); }

private:
	TemporaryDirectory directory_;
	std::string path_;
	guest::Child shell_;
};

/** An idle process that runs cli_burn's burn_child() in a new thread each time it is told to. */
class IdleProgram {
public:
	/** @param ms of CPU time each time; @param command that executes "cli_burn" or a copy of it. */
	explicit IdleProgram(unsigned ms, std::vector<std::string> command = {program("cli_burn")})
		: process_(start(arguments(std::move(command), ms), directory_ / "output"))
	{
		guest::need_that(soon([&] { return has(read_file(directory_ / "output"), "ready"); }),
				 "the program waits");
	}

	[[nodiscard]] pid_t pid() const { return process_.pid(); }
	void burn() const { kill(process_.pid(), SIGUSR1); }
	[[nodiscard]] size_t threads() const
	{
		const std::filesystem::directory_iterator tasks("/proc/" + std::to_string(pid()) + "/task");

		return static_cast<size_t>(std::distance(begin(tasks), end(tasks)));
	}

private:
	static std::vector<std::string> arguments(std::vector<std::string> command, unsigned ms)
	{
		command.insert(command.end(), {std::to_string(ms), "idle"});
		return command;
	}

	TemporaryDirectory directory_;
	guest::Child process_;
};

/** What recordings have counted so far, in user mode and in the kernel. */
inline uint64_t counted_ticks()
{
	return guest::module_ticks("counted") + guest::module_ticks("kernel");
}

/** Wait until the module has counted this many more samples. */
inline bool samples_come(uint64_t more)
{
	const uint64_t before = guest::module_ticks("counted");

	return guest::soon([&] { return guest::module_ticks("counted") >= before + more; });
}

inline bool nothing_is_profiled()
{
	return guest::module_stat("profiles") == 0;
}

/** Sets kernel.perf_event_paranoid; restores it at the end. */
inline guest::Setting paranoid(const std::string &value)
{
	return {"/proc/sys/kernel/perf_event_paranoid", value};
}

/** Record these events.  Returns what profil prints. */
inline std::string record_events(const std::string &events, const std::string &file,
				 const std::string &name = "cli_events")
{
	const Output output = profil("record -e " + events + " -o " + file + " -- " + program(name));

	INFO(output.text);
	REQUIRE(output.status == 0);
	return output.text;
}

/** Does the kernel let this process count it? */
inline bool cpu_counts(uint64_t config)
{
	return guest::open_proof({.pid = 0, .type = PERF_TYPE_HARDWARE, .config = config}).get() >= 0;
}

} // namespace cli_test
