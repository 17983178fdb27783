// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/method_record.cpp  Recordings: of the process, and system-wide. */
#include "profil.h"
#include "tests/bench/bench.h"
#include "tests/bench/method.h"
#include "tests/bench/places.h"
#include "tests/bench/target.h"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {

namespace {

constexpr std::uint32_t counts = 4096;

class Recording : public Method {
public:
	/**
	 * The number of regions is here a number of mappings of text, the loop's own among them.
	 */
	Recording(const Wish &wish, std::uint32_t flags)
	{
		profil_record record{};
		const char *step = nullptr;

		map_places(wish.regions - 1);
		record.size = sizeof record;
		record.flags = flags;
		record.period = wish.period;
		record.table = reinterpret_cast<std::uint64_t>(table);
		record.nr_counts = counts;
		if (!session || !table || begin(wish, record, &step))
			die(step ? step : "profil_session_record");
		profile = record.profile;
	}
	~Recording() override
	{
		profil_session_close(session);
		profil_counters_free(table, bytes);
	}
	std::uint64_t stop() override
	{
		profil_status status{};

		status.size = sizeof status;
		if (profil_get_status(session, profile, &status))
			die("profil_get_status");
		return status.counted + status.kernel;
	}

private:
	static constexpr std::size_t bytes = counts * sizeof(profil_count);

	int begin(const Wish &wish, profil_record &record, const char **step) const
	{
		perf_event_attr event{};

		if (!is_event(wish))
			return profil_session_record(session, getpid(), &record, step);
		event.size = sizeof event;
		event.type = PERF_TYPE_SOFTWARE;
		event.config = wish.event;
		return profil_session_record_event(session, getpid(), &event, &record, step);
	}

	profil_session *session = profil_session_open();
	void *table = profil_counters_alloc(bytes);
	std::uint32_t profile = 0;
};

/** Two events that come at the same instructions: page faults, and minor faults alone. */
class TwoRecordings : public Method {
public:
	explicit TwoRecordings(const Wish &wish)
		: faults(wish, PROFIL_FOLLOW),
		  minor({wish.period, wish.regions, PERF_COUNT_SW_PAGE_FAULTS_MIN}, PROFIL_FOLLOW)
	{
	}
	std::uint64_t stop() override { return faults.stop() + minor.stop(); }

private:
	Recording faults, minor;
};

/**
 * Another process makes the system-wide recording, so that a fork of this one has no pinned pages
 * to copy.
 */
class RecordedByOther : public Method {
public:
	explicit RecordedByOther(const Wish &wish)
		: other(standing_process(
			  [&wish] { static Recording recording(wish, PROFIL_RECORD_EVERYBODY); }))
	{
	}
	~RecordedByOther() override
	{
		kill(other, SIGKILL);
		waitpid(other, nullptr, 0);
	}
	std::uint64_t stop() override { return 0; }

private:
	pid_t other;
};

} // namespace

std::unique_ptr<Method> make_record(const std::string &name, const Wish &wish)
{
	if (name == "recorded")
		return std::make_unique<Recording>(wish, PROFIL_FOLLOW);
	if (name == "recorded-two")
		return std::make_unique<TwoRecordings>(wish);
	if (name == "recorded-kernel")
		return std::make_unique<Recording>(wish, PROFIL_FOLLOW | PROFIL_RECORD_KERNEL);
	if (name == "everybody-kernel")
		return std::make_unique<Recording>(wish, PROFIL_RECORD_EVERYBODY | PROFIL_RECORD_KERNEL);
	if (name == "everybody")
		return std::make_unique<Recording>(wish, PROFIL_RECORD_EVERYBODY);
	if (name == "by-other")
		return std::make_unique<RecordedByOther>(wish);
	return nullptr;
}

} // namespace bench
