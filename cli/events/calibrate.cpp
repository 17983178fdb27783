// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/events/calibrate.h"

#include "cli/base/fd.h"
#include "cli/base/whole_number.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds look{50};
/* Each is a counter that others may want. */
constexpr size_t most_threads = 64;
constexpr double ns_per_second = 1e9;

/** The threads of some processes; those that have ended meanwhile are left out. */
std::vector<pid_t> threads_of(std::span<const pid_t> pids)
{
	std::vector<pid_t> threads;

	for (const pid_t pid : pids) {
		std::error_code error;

		for (fs::directory_iterator task(fmt::format("/proc/{}/task", pid), error), end;
		     !error && task != end && threads.size() < most_threads; task.increment(error)) {
			if (const auto id = whole_number<pid_t>(task->path().filename().string()))
				threads.push_back(*id);
		}
	}
	return threads;
}

Fd open_counter(perf_event_attr attr, pid_t thread, int cpu)
{
	attr.size = sizeof(attr);
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return Fd(
		static_cast<int>(syscall(SYS_perf_event_open, &attr, thread, cpu, -1, PERF_FLAG_FD_CLOEXEC)));
}

double rate_of_counter(const Fd &counter)
{
	std::array<uint64_t, 3> values{}; /* count, time enabled, time running */

	if (read(counter.get(), values.data(), sizeof(values)) != sizeof(values) || !values[2])
		return 0;
	return static_cast<double>(values[0]) / static_cast<double>(values[2]) * ns_per_second;
}

} // namespace

uint64_t period_for(double events_per_second)
{
	const double period = events_per_second / samples_per_second;

	return period < 1 ? 1 : static_cast<uint64_t>(period) | 1;
}

std::optional<double> rate_of(const Event &event, std::span<const pid_t> pids)
{
	std::vector<Fd> counters;
	double most = 0;

	if (pids.empty()) {
		for (int cpu = 0; cpu < static_cast<int>(sysconf(_SC_NPROCESSORS_CONF)); cpu++)
			counters.push_back(open_counter(event.attr, -1, cpu));
	}
	for (const pid_t thread : threads_of(pids))
		counters.push_back(open_counter(event.attr, thread, -1));
	std::this_thread::sleep_for(look);
	for (const Fd &counter : counters)
		most = std::max(most, counter ? rate_of_counter(counter) : 0);
	return most > 0 ? std::optional(most) : std::nullopt;
}

void choose_periods(std::vector<Event> &events, std::span<const pid_t> pids)
{
	for (Event &event : events) {
		if (event.has_period || !is_of_hardware(event))
			continue;
		if (const std::optional<double> rate = rate_of(event, pids))
			event.period = period_for(*rate);
	}
}

} // namespace cli
