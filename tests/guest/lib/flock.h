// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/lib/flock.h  Children in a recording that libprofil has begun. */
#pragma once

#include "tests/guest/lib/support.h"

#include <cerrno>
#include <csignal>
#include <memory>
#include <unistd.h>
#include <vector>

namespace lib_test {

constexpr uint64_t ms = 1'000'000;

using Session = std::unique_ptr<profil_session, void (*)(profil_session *)>;

inline Session open_session()
{
	return {profil_session_open(), profil_session_close};
}

/** Sleep until a condition holds, to give the children time. */
template <typename Condition> void sleep_until(Condition holds)
{
	while (!holds())
		usleep(10'000);
}

inline int lowest_free_fd()
{
	const int fd = dup(0);

	close(fd);
	return fd;
}

/** A session, a table of counts, and children that each run a loop. */
class Flock {
public:
	Flock(const Loop &loop, size_t nr, uint64_t period = 5 * ms)
		: period_(period), targets_(nr),
		  table_(static_cast<profil_count *>(profil_counters_alloc(table_bytes)))
	{
		children_.reserve(nr);
		for (profil_target &target : targets_) {
			children_.emplace_back([&loop] {
				for (;;)
					loop.spin(1'000'000);
			});
			target.pid = children_.back().pid();
			target.error = -1;
		}
		/* After the forks: children would keep the session open. */
		session_ = open_session();
		guest::need_that(session_ && table_, "a session and a table");
	}
	Flock(const Flock &) = delete;
	Flock &operator=(const Flock &) = delete;
	~Flock()
	{
		session_.reset();
		profil_counters_free(table_, table_bytes);
	}

	/** Begin the recording with the first child; throws if that fails. */
	void begin(uint32_t flags, const perf_event_attr *event = nullptr)
	{
		errno = try_begin(flags, event);
		guest::need(errno ? -1 : 0, "PROFIL_RECORD");
	}
	/** Like begin(), but returns 0 or the error. */
	int try_begin(uint32_t flags, const perf_event_attr *event = nullptr)
	{
		profil_record record = {};
		profil_target &first = targets_.front();

		record.size = sizeof(record);
		record.flags = flags;
		record.period = event ? 1 : period_;
		record.table = reinterpret_cast<uintptr_t>(table_);
		record.nr_counts = counts;
		if (event ? profil_session_record_event(session(), first.pid, event, &record, nullptr)
			  : profil_session_record(session(), first.pid, &record, nullptr))
			return errno;
		profile_ = record.profile;
		first.error = 0;
		return 0;
	}

	/** Add some of the other children. */
	ssize_t add(size_t from, size_t nr)
	{
		return profil_session_add(session(), profile_, &targets_[from], nr);
	}

	/** End the session. */
	void close() { session_.reset(); }

	/** End one child. */
	void end(size_t i)
	{
		kill(children_[i].pid(), SIGKILL);
		children_[i].reap();
	}

	std::vector<profil_target> &targets() { return targets_; }
	[[nodiscard]] profil_session *session() const { return session_.get(); }
	[[nodiscard]] uint32_t profile() const { return profile_; }
	[[nodiscard]] profil_status status() const
	{
		profil_status status = {};

		status.size = sizeof(status);
		guest::need(profil_get_status(session(), profile_, &status), "PROFIL_STATUS");
		return status;
	}

	/** The ticks of one target, each of which is an owner of its own (PROFIL_RECORD_PROCESSES). */
	[[nodiscard]] uint64_t count(size_t i) const
	{
		uint64_t sum = 0;

		for (uint32_t k = 0; k < counts; k++) {
			const uint64_t key = __atomic_load_n(&table_[k].key, __ATOMIC_RELAXED);

			if (key && owner_of(key >> PROFIL_COUNT_SHIFT) == targets_[i].pid)
				sum += __atomic_load_n(&table_[k].count, __ATOMIC_RELAXED);
		}
		return sum;
	}

	/** All ticks, even once the session has ended. */
	[[nodiscard]] uint64_t ticks() const
	{
		uint64_t sum = 0;

		for (uint32_t k = 0; k < counts; k++)
			sum += __atomic_load_n(&table_[k].count, __ATOMIC_RELAXED);
		return sum;
	}

private:
	static constexpr uint32_t counts = 4096;
	static constexpr size_t table_bytes = counts * sizeof(profil_count);

	[[nodiscard]] profil_describe describe(uint32_t number) const
	{
		profil_describe about = {};

		about.size = sizeof(about);
		about.profile = profile_;
		about.number = number;
		guest::need(profil_session_describe(session(), &about), "PROFIL_DESCRIBE");
		return about;
	}
	[[nodiscard]] pid_t owner_of(uint64_t cell) const
	{
		return describe(describe(static_cast<uint32_t>(cell)).owner).pid;
	}

	uint64_t period_;
	std::vector<guest::Child> children_;
	std::vector<profil_target> targets_;
	Session session_{nullptr, profil_session_close};
	profil_count *table_;
	uint32_t profile_ = 0;
};

} // namespace lib_test
