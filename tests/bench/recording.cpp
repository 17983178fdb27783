// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/bench/recording.h"

#include "tests/bench/bench.h"

#include <algorithm>
#include <vector>

namespace bench {

Recording::Recording()
{
	if (!session)
		die("profil_session_open");
	if (!table)
		die("profil_counters_alloc");
}

Recording::~Recording()
{
	end();
	profil_counters_free(table, bytes);
}

void Recording::begin(pid_t pid, std::uint32_t flags, std::uint64_t period, std::uint64_t event)
{
	const bool by_clock = event == PERF_COUNT_SW_CPU_CLOCK;
	const char *step = nullptr;
	perf_event_attr attr{};
	profil_record record{};

	attr.size = sizeof attr;
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = event;
	record.size = sizeof record;
	record.flags = flags;
	record.period = period;
	record.table = reinterpret_cast<std::uint64_t>(table);
	record.nr_counts = counts;
	if (by_clock ? profil_session_record(session, pid, &record, &step)
		     : profil_session_record_event(session, pid, &attr, &record, &step))
		die(step ? step : "profil_session_record");
	profile = record.profile;
}

void Recording::add(std::span<const pid_t> pids)
{
	std::vector<profil_target> targets(pids.size());

	for (std::size_t i = 0; i < pids.size(); i++)
		targets[i].pid = pids[i];
	if (profil_session_add(session, profile, targets.data(), targets.size()) ==
	    static_cast<ssize_t>(targets.size()))
		return;
	const auto bad = std::find_if(targets.begin(), targets.end(),
				      [](const profil_target &one) { return one.error; });
	if (bad == targets.end())
		die("profil_session_add");
	errno = bad->error;
	die(bad->step);
}

std::uint64_t Recording::counted() const
{
	profil_status status{};

	status.size = sizeof status;
	if (profil_get_status(session, profile, &status))
		die("profil_get_status");
	return status.counted + status.kernel;
}

void Recording::end()
{
	profil_session_close(session);
	session = nullptr;
}

} // namespace bench
