// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/process/machine_time.h"

#include "cli/base/files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <string>
#include <unistd.h>

namespace cli {
namespace {

/* user, nice, system, idle, iowait */
constexpr size_t times = 5;
constexpr size_t idle = 3;
constexpr size_t waiting = 4;
constexpr std::string_view all_cpus = "cpu ";

} // namespace

std::optional<uint64_t> parse_idle_time(std::string_view text, uint64_t ticks)
{
	std::array<uint64_t, times> values = {};

	if (!text.starts_with(all_cpus) || !ticks)
		return std::nullopt;
	text = text.substr(all_cpus.size(), text.find('\n') - all_cpus.size());
	for (uint64_t &value : values) {
		text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));

		const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);

		if (error != std::errc())
			break;
		text.remove_prefix(static_cast<size_t>(stop - text.data()));
	}
	return (values[idle] + values[waiting]) * 1000 / ticks;
}

std::optional<MachineTime> machine_time()
{
	using std::chrono::milliseconds;

	const Result<std::string> text = read_file("/proc/stat");
	const auto wall = std::chrono::steady_clock::now().time_since_epoch();
	const std::optional<uint64_t> idle_ms =
		text ? parse_idle_time(*text, static_cast<uint64_t>(sysconf(_SC_CLK_TCK))) : std::nullopt;

	if (!idle_ms)
		return std::nullopt;
	return MachineTime{static_cast<uint64_t>(std::chrono::duration_cast<milliseconds>(wall).count()),
			   *idle_ms};
}

uint64_t cpu_ms_between(const MachineTime &begin, const MachineTime &end)
{
	return (end.wall_ms - begin.wall_ms) * static_cast<uint64_t>(sysconf(_SC_NPROCESSORS_ONLN));
}

} // namespace cli
