// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/method_profil.cpp  profil: a self profile, a profile that the process attaches
 * to itself and its children, and as many sessions as may profile one process.
 */
#include "profil.h"
#include "tests/bench/bench.h"
#include "tests/bench/method.h"
#include "tests/bench/target.h"

#include <unistd.h>
#include <vector>

namespace bench {

namespace {

/** One region that counts, and half of the others below and half above it. */
std::vector<profil_region> regions_for(unsigned number, std::vector<std::uint32_t> &others)
{
	constexpr std::uint64_t size = 16;
	std::vector<profil_region> regions;
	const std::uint64_t low = text_low();
	const unsigned below = (number - 1) / 2;

	others.resize(number * size / sizeof(std::uint32_t));
	for (unsigned i = 0; i < number; i++) {
		profil_region region{};
		const bool counts = i == below;

		if (counts)
			region.low = low;
		else if (i < below)
			region.low = low - (below - i) * size;
		else
			region.low = low + text_covered + i * size;
		region.offset = region.low;
		region.bytes = counts ? text_covered : size;
		region.high = region.low + region.bytes;
		region.buffer = reinterpret_cast<std::uint64_t>(
			counts ? counters : &others[i * size / sizeof(std::uint32_t)]);
		region.scale = 0x10000;
		region.width = sizeof(std::uint32_t);
		region.post = 2;
		regions.push_back(region);
	}
	return regions;
}

class Profil : public Method {
public:
	explicit Profil(const Wish &wish) : regions(regions_for(wish.regions, others))
	{
		spec.size = sizeof spec;
		spec.period = wish.period;
		spec.regions = regions.data();
		spec.nr_regions = wish.regions;
		event.size = sizeof event;
		event.type = PERF_TYPE_SOFTWARE;
		event.config = wish.event;
		spec.event = is_event(wish) ? &event : nullptr;
	}

protected:
	profil_spec spec{};

private:
	perf_event_attr event{};
	std::vector<std::uint32_t> others;
	std::vector<profil_region> regions;
};

class SelfProfile : public Profil {
public:
	explicit SelfProfile(const Wish &wish) : Profil(wish)
	{
		if (profil_self_start(&spec, nullptr))
			die("profil_self_start");
	}
	~SelfProfile() override
	{
		if (profil_self_stop(nullptr))
			die("profil_self_stop");
	}
	std::uint64_t stop() override
	{
		profil_status status{};

		status.size = sizeof status;
		if (profil_self_get_status(&status))
			die("profil_self_get_status");
		if (status.state != PROFIL_STATE_RUNNING) {
			errno = EFAULT;
			die("the profile went off");
		}
		return status.counted;
	}
};

/** A session that profiles one process or thread. */
class Session {
public:
	Session(pid_t pid, const profil_spec &spec) : target{pid, 0, nullptr, &spec, 0}
	{
		if (!session)
			die("profil_session_open");
		if (profil_attach(session, &target, 1) != 1) {
			errno = target.error;
			die(target.step ? target.step : "profil_attach");
		}
	}
	Session(const Session &) = delete;
	Session &operator=(const Session &) = delete;
	~Session() { profil_session_close(session); }

	std::uint64_t counted() const
	{
		profil_status status{};

		status.size = sizeof status;
		if (profil_get_status(session, target.profile, &status))
			die("profil_get_status");
		return status.counted;
	}

private:
	profil_session *session = profil_session_open();
	profil_target target;
};

class AttachedProfile : public Profil {
public:
	explicit AttachedProfile(const Wish &wish) : Profil(wish)
	{
		spec.flags = PROFIL_FOLLOW;
		session = std::make_unique<Session>(getpid(), spec);
	}
	std::uint64_t stop() override { return counted(); }

private:
	std::unique_ptr<Session> session;
};

/* What unprivileged users can have on one process: PROFIL_BINDINGS_MAX, PROFIL_THREADS_MAX. */
constexpr std::size_t most_sessions = 8, most_threads = 64;

/** Sessions that each profile the process, and its children if asked to. */
class Sessions : public Profil {
public:
	Sessions(const Wish &wish, std::uint32_t flags) : Profil(wish)
	{
		spec.flags = flags;
		for (std::size_t i = 0; i < most_sessions; i++)
			add(getpid());
	}
	std::uint64_t stop() override { return sessions.front()->counted(); }

protected:
	void add(pid_t pid) { sessions.push_back(std::make_unique<Session>(pid, spec)); }

private:
	std::vector<std::unique_ptr<Session>> sessions;
};

/** Beside them sessions that each profile this one thread. */
class SessionsOfThread : public Sessions {
public:
	explicit SessionsOfThread(const Wish &wish) : Sessions(wish, 0)
	{
		spec.flags = PROFIL_THREAD;
		for (std::size_t i = 0; i < most_threads; i++)
			add(gettid());
	}
};

/** Beside them sessions that each profile another thread, which stands still. */
class SessionsOfThreads : public Sessions {
public:
	explicit SessionsOfThreads(const Wish &wish) : Sessions(wish, 0)
	{
		spec.flags = PROFIL_THREAD;
		for (std::size_t i = 0; i < most_threads; i++)
			add(standing_thread());
	}
};

} // namespace

std::unique_ptr<Method> make_profil(const std::string &name, const Wish &wish)
{
	if (name == "profil")
		return std::make_unique<SelfProfile>(wish);
	if (name == "attached")
		return std::make_unique<AttachedProfile>(wish);
	if (name == "sessions")
		return std::make_unique<Sessions>(wish, PROFIL_FOLLOW);
	if (name == "sessions-thread")
		return std::make_unique<SessionsOfThread>(wish);
	if (name == "sessions-threads")
		return std::make_unique<SessionsOfThreads>(wish);
	return nullptr;
}

} // namespace bench
