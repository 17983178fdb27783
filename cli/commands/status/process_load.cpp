// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/status/process_load.h"

#include "cli/base/characters.h"
#include "cli/base/files.h"
#include "cli/base/monotonic.h"
#include "cli/base/whole_number.h"
#include "cli/process/process.h"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <thread>
#include <unistd.h>

namespace cli {
namespace {

namespace fs = std::filesystem;

constexpr double ns_per_second = 1e9;
constexpr int first_time = 14; /* utime, as numbered in proc(5) */

/** The sum of user and system time, in clock ticks. */
std::optional<uint64_t> times_of(const std::string &stat)
{
	std::istringstream fields = stat_fields(stat, first_time);
	uint64_t user = 0;
	uint64_t system = 0;

	if (!(fields >> user >> system))
		return std::nullopt;
	return user + system;
}

/** The sum of voluntary and involuntary context switches. */
uint64_t switches_of(const std::string &status)
{
	uint64_t sum = 0;

	for (const std::string &line : split_lines(status)) {
		const size_t colon = line.find("_ctxt_switches:\t");

		if (colon != line.npos)
			sum += whole_number<uint64_t>(std::string_view(line).substr(line.find('\t') + 1))
				       .value_or(0);
	}
	return sum;
}

} // namespace

Result<ProcessUsage> process_usage(pid_t pid, const std::string &root)
{
	const std::string directory = fmt::format("{}/proc/{}", root, pid);
	const Result<std::string> stat = read_file(directory + "/stat");
	const std::optional<uint64_t> times = stat ? times_of(*stat) : std::nullopt;
	ProcessUsage usage;
	std::error_code error;

	if (!times)
		return Error{fmt::format("process {}: {}", pid,
					 stat ? "cannot parse its stat" : "there is no such process")};
	usage.cpu_seconds = static_cast<double>(*times) / static_cast<double>(sysconf(_SC_CLK_TCK));
	for (fs::directory_iterator thread(directory + "/task", error), end; !error && thread != end;
	     thread.increment(error)) {
		const auto tid = whole_number<pid_t>(thread->path().filename().string());
		const Result<std::string> status = read_file(thread->path().string() + "/status");

		/* The thread may have ended by now. */
		if (tid && status)
			usage.switches[*tid] = switches_of(*status);
	}
	return usage;
}

ProcessLoad load_between(const ProcessUsage &before, const ProcessUsage &after, double seconds)
{
	uint64_t switches = 0;

	for (const auto &[tid, number] : after.switches) {
		const auto known = before.switches.find(tid);
		const uint64_t then = known == before.switches.end() ? 0 : known->second;

		/* If the number is smaller, another thread has the TID now. */
		switches += number >= then ? number - then : number;
	}
	return {(after.cpu_seconds - before.cpu_seconds) / seconds, static_cast<double>(switches) / seconds};
}

Result<ProcessLoad> measure_load(pid_t pid)
{
	const uint64_t start = monotonic_ns();
	const Result<ProcessUsage> before = process_usage(pid);

	if (!before)
		return before.error();
	std::this_thread::sleep_for(std::chrono::seconds(1));

	const Result<ProcessUsage> after = process_usage(pid);

	if (!after)
		return after.error();
	return load_between(*before, *after, static_cast<double>(monotonic_ns() - start) / ns_per_second);
}

} // namespace cli
