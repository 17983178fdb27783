// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/refusals.h"

#include "cli/base/numbers.h"
#include "cli/process/process.h"

#include <fmt/format.h>

namespace cli {
namespace {

constexpr size_t most_named = 5;
/* Limits the PIDs that are remembered, because a search may go on for months. */
constexpr size_t most_counted = 10000;

} // namespace

void Refusals::add(pid_t pid, const std::string &name, const std::string &why, bool searched)
{
	if (searched && has_ended(pid))
		return;

	Refused &refused = processes_[why];

	if (refused.pids.size() >= most_counted && !refused.pids.contains(pid)) {
		refused.more = true;
		return;
	}
	if (refused.pids.insert(pid).second && refused.pids.size() <= most_named)
		refused.first += fmt::format("{}{} (pid {})", refused.first.empty() ? "" : ", ", name, pid);
}

std::vector<std::string> Refusals::lines() const
{
	std::vector<std::string> lines;

	for (const auto &[why, refused] : processes_)
		lines.push_back(fmt::format(
			"{}{} not attached: {}: {}{}", refused.more ? "more than " : "",
			refused.pids.size() == 1 ? "1 process was"
						 : grouped(refused.pids.size()) + " processes were",
			why, refused.first, refused.pids.size() > most_named ? ", ..." : ""));
	return lines;
}

} // namespace cli
