// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/method_record.cpp  Recordings: of this process, as many of one process as are
 * allowed, and system-wide.
 */
#include "tests/bench/method.h"
#include "tests/bench/places.h"
#include "tests/bench/recording.h"
#include "tests/bench/target.h"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace bench {

namespace {

class Recorded : public Method {
public:
	/** @param wish wish.regions is the number of mappings of text, including the loop's own. */
	Recorded(const Wish &wish, std::uint32_t flags)
	{
		map_places(wish.regions - 1);
		recording.begin(getpid(), flags, wish.period, wish.event);
	}
	std::uint64_t stop() override { return recording.counted(); }

private:
	Recording recording;
};

/** Recordings of two events that occur at the same instructions: page faults, and minor faults. */
class TwoRecordings : public Method {
public:
	explicit TwoRecordings(const Wish &wish)
		: faults(wish, PROFIL_FOLLOW),
		  minor({wish.period, wish.regions, PERF_COUNT_SW_PAGE_FAULTS_MIN}, PROFIL_FOLLOW)
	{
	}
	std::uint64_t stop() override { return faults.stop() + minor.stop(); }

private:
	Recorded faults, minor;
};

/* The limits for unprivileged users on one process: PROFIL_BINDINGS_MAX, PROFIL_THREADS_MAX. */
constexpr std::size_t most_sessions = 8, most_threads = 64;

/** Sessions that each record the process and, if @p flags has PROFIL_FOLLOW, its children. */
class Sessions : public Method {
public:
	Sessions(const Wish &wish, std::uint32_t flags) : period(wish.period)
	{
		for (std::size_t i = 0; i < most_sessions; i++)
			add(getpid(), flags);
	}
	std::uint64_t stop() override { return sessions.front()->counted(); }

protected:
	void add(pid_t pid, std::uint32_t flags)
	{
		sessions.push_back(std::make_unique<Recording>());
		sessions.back()->begin(pid, flags, period);
	}

private:
	const std::uint64_t period;
	std::vector<std::unique_ptr<Recording>> sessions;
};

/** Sessions that record the process, and as many as possible that each record this thread. */
class SessionsOfThread : public Sessions {
public:
	explicit SessionsOfThread(const Wish &wish) : Sessions(wish, 0)
	{
		for (std::size_t i = 0; i < most_threads; i++)
			add(gettid(), PROFIL_THREAD);
	}
};

/**
 * Another process makes the system-wide recording, so that a fork of this one has no pinned pages
 * to copy.
 */
class RecordedByOther : public Method {
public:
	explicit RecordedByOther(const Wish &wish)
		: other(standing_process(
			  [&wish] { static Recorded recording(wish, PROFIL_RECORD_EVERYBODY); }))
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
		return std::make_unique<Recorded>(wish, PROFIL_FOLLOW);
	if (name == "recorded-two")
		return std::make_unique<TwoRecordings>(wish);
	if (name == "recorded-kernel")
		return std::make_unique<Recorded>(wish, PROFIL_FOLLOW | PROFIL_RECORD_KERNEL);
	if (name == "everybody-kernel")
		return std::make_unique<Recorded>(wish, PROFIL_RECORD_EVERYBODY | PROFIL_RECORD_KERNEL);
	if (name == "everybody")
		return std::make_unique<Recorded>(wish, PROFIL_RECORD_EVERYBODY);
	if (name == "by-other")
		return std::make_unique<RecordedByOther>(wish);
	if (name == "sessions")
		return std::make_unique<Sessions>(wish, PROFIL_FOLLOW);
	if (name == "sessions-thread")
		return std::make_unique<SessionsOfThread>(wish);
	return nullptr;
}

} // namespace bench
