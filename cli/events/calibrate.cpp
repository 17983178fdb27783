// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/events/calibrate.h"

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
/* Each thread takes counters that other users of perf may need. */
constexpr size_t most_threads = 64;
/* The most counters open at the same time: the default limit on open files is 1,024. */
constexpr size_t most_counters = 512;
constexpr double ns_per_second = 1e9;

/** Where an event is counted, as for perf_event_open(2). */
struct Place {
	pid_t thread;
	int cpu;
};

/** The first most_threads threads of the processes @p pids; all CPUs if @p pids is empty. */
std::vector<Place> places_of(std::span<const pid_t> pids)
{
	std::vector<Place> places;

	if (pids.empty()) {
		for (int cpu = 0; cpu < static_cast<int>(sysconf(_SC_NPROCESSORS_CONF)); cpu++)
			places.push_back({-1, cpu});
	}
	for (const pid_t pid : pids) {
		std::error_code error;

		for (fs::directory_iterator task(fmt::format("/proc/{}/task", pid), error), end;
		     !error && task != end && places.size() < most_threads; task.increment(error)) {
			if (const auto id = whole_number<pid_t>(task->path().filename().string()))
				places.push_back({*id, -1});
		}
	}
	return places;
}

Fd open_counter(perf_event_attr attr, const Place &place)
{
	attr.size = sizeof(attr);
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return Fd(static_cast<int>(
		syscall(SYS_perf_event_open, &attr, place.thread, place.cpu, -1, PERF_FLAG_FD_CLOEXEC)));
}

std::optional<double> highest_rate(std::span<const Fd> counters)
{
	double most = 0;

	for (const Fd &counter : counters)
		most = std::max(most, counter ? rate_of_counter(counter) : 0);
	return most > 0 ? std::optional(most) : std::nullopt;
}

/** Count some events at the same time, and append their rates. */
void add_rates(std::span<const Event> events, std::span<const Place> places,
	       std::vector<std::optional<double>> &rates)
{
	std::vector<Fd> counters;

	for (const Event &event : events) {
		for (const Place &place : places)
			counters.push_back(open_counter(event.attr, place));
	}
	std::this_thread::sleep_for(look);
	for (size_t i = 0; i < events.size(); i++)
		rates.push_back(highest_rate(std::span(counters).subspan(i * places.size(), places.size())));
}

} // namespace

double rate_of_counter(const Fd &counter)
{
	std::array<uint64_t, 3> values{}; /* count, time enabled, time running */

	if (read(counter.get(), values.data(), sizeof(values)) != sizeof(values) || !values[2])
		return 0;
	return static_cast<double>(values[0]) / static_cast<double>(values[2]) * ns_per_second;
}

uint64_t period_for(double events_per_second)
{
	const double period = events_per_second / samples_per_second;

	return period < 1 ? 1 : static_cast<uint64_t>(period) | 1;
}

std::vector<std::optional<double>> rates_of(std::span<const Event> events, std::span<const pid_t> pids)
{
	const std::vector<Place> places = places_of(pids);
	std::vector<std::optional<double>> rates;

	if (places.empty())
		return std::vector<std::optional<double>>(events.size());

	const size_t together = std::max<size_t>(most_counters / places.size(), 1);

	while (rates.size() < events.size()) {
		const std::span<const Event> left = events.subspan(rates.size());

		add_rates(left.first(std::min(together, left.size())), places, rates);
	}
	return rates;
}

void choose_periods(std::vector<Event> &events, std::span<const pid_t> pids)
{
	std::vector<size_t> chosen;
	std::vector<Event> counted;

	for (size_t i = 0; i < events.size(); i++) {
		if (events[i].has_period || !is_of_hardware(events[i]))
			continue;
		chosen.push_back(i);
		counted.push_back(events[i]);
	}

	const std::vector<std::optional<double>> rates = rates_of(counted, pids);

	for (size_t i = 0; i < chosen.size(); i++) {
		if (rates[i])
			events[chosen[i]].period = period_for(*rates[i]);
	}
}

} // namespace cli
