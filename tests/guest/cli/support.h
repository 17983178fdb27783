// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/support.h  Shared by the tests of the command: they run profil and read
 * the profiles that it recorded.
 */
#pragma once

#include "tests/guest/support/device.h"
#include "tests/guest/support/guest.h"
#include "tests/support/catch.h"
#include "tests/support/recorded.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <linux/perf_event.h>
#include <map>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace cli_test {

using guest::program;
using guest::read_file;
using guest::soon;
using support::by_process;
using support::child_of;
using support::end_of;
using support::has;
using support::has_rows_of;
using support::HeldProgram;
using support::hottest;
using support::hottest_row;
using support::Json;
using support::lines;
using support::Output;
using support::parse_json;
using support::percent;
using support::profil;
using support::profil_path;
using support::report;
using support::run;
using support::samples_by_thread;
using support::samples_in_kernel;
using support::TemporaryDirectory;
using support::thread_named;
using support::values_of;

/**
 * support::start(), but all programs except profil run at the lowest priority, so that tests need
 * not wait for the programs that they profile.
 */
inline guest::Child start(std::vector<std::string> arguments, const std::string &output = "/dev/null")
{
	const bool is_profil = arguments[0] == profil_path();

	return support::start(std::move(arguments), output, is_profil ? 0 : 19);
}

/** An idle process that runs cli_burn's burn_child() in a new thread each time it is told to. */
class IdleProgram {
public:
	/**
	 * @param ms  CPU time of each burn_child()
	 * @param command  executes cli_burn or a copy of it
	 */
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

/** The ticks that recordings have counted so far, in user mode and in the kernel. */
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

/** True if the kernel lets this process count this hardware event. */
inline bool cpu_counts(uint64_t config)
{
	return guest::open_proof({.pid = 0, .type = PERF_TYPE_HARDWARE, .config = config}).get() >= 0;
}

} // namespace cli_test
