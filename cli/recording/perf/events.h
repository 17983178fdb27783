// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/perf/events.h  A recording's perf events, and the rings they write into. */
#pragma once

#include "cli/base/fd.h"
#include "cli/base/result.h"
#include "cli/profile/event_account.h"
#include "cli/recording/perf/ring.h"
#include "cli/recording/perf/settings.h"

#include <cstdint>
#include <functional>
#include <map>
#include <sys/types.h>
#include <unordered_map>
#include <vector>

namespace cli {

/**
 * The events of each attached thread, or of all processes: one for each source and CPU, because
 * perf does not let inherited events write into one ring from several CPUs.
 *
 * Functions return 0, or the errno value of perf_event_open(2).
 */
class PerfEvents {
public:
	/** @param settings must outlive this. */
	explicit PerfEvents(const PerfSettings &settings) : settings_(settings) {}

	Outcome open_rings();
	/** Sample a thread, and the threads and processes that it creates; -1: all processes. */
	int add(pid_t tid);

	/** Readable when a ring is partly full, or a thread and all that it has created have ended. */
	[[nodiscard]] int fd() const { return poll_.get(); }
	/** True if a ring is partly full. */
	[[nodiscard]] bool is_filling_up();
	/** Visit all records up to a time, oldest first. */
	void read(uint64_t until, const std::function<void(const PerfRecord &)> &visit);
	/** Close the events of each thread that has ended along with all that it created. */
	void close_ended();
	/** True if there is no event. */
	[[nodiscard]] bool empty() const { return members_.empty(); }
	/** Stop counting. */
	void stop();

	/** True if time in the kernel was to be sampled, but is not. */
	[[nodiscard]] bool hides_kernel() const { return hides_kernel_; }
	/** True if samples contain the cgroup. */
	[[nodiscard]] bool knows_cgroups() const { return cgroups_; }
	/** Ask for the cgroup of each sample from now on, if the kernel supports that. */
	void ask_for_cgroups() { cgroups_ = true; }
	/** The source of an event, by its ID. */
	[[nodiscard]] uint32_t source_of(uint64_t id) const;
	/** By source, the time that a hardware event was counted: it may wait for a counter. */
	[[nodiscard]] std::vector<EventAccount> accounts() const;
	/** The number of records that found no room; 0 if the kernel is older than 6.0. */
	[[nodiscard]] uint64_t lost() const;
	[[nodiscard]] uint64_t ring_bytes() const;

private:
	struct Counter {
		Fd fd;
		uint32_t source = 0;
		uint64_t id = 0;
	};
	using Member = std::vector<Counter>;
	/** The result of read(2) for the read_format of attr_of(). */
	struct Reading {
		uint64_t count = 0;
		uint64_t enabled_ns = 0;
		uint64_t running_ns = 0;
		uint64_t id = 0;
		uint64_t lost = 0;
	};

	[[nodiscard]] perf_event_attr attr_of(uint32_t source, bool everybody) const;
	int open(pid_t tid, const PerfRing &ring, uint32_t source, Member &member);
	int open_on_cpus(pid_t tid, Member &member);
	static Reading look_at(const Counter &counter);
	void add_times(const Member &member, std::vector<EventAccount> &sums) const;

	const PerfSettings &settings_;
	std::vector<PerfRing> rings_;
	Fd poll_;
	std::map<uint64_t, Member> members_; /* by a number that epoll reports */
	uint64_t last_member_ = 0;
	std::unordered_map<uint64_t, uint32_t>
		source_of_; /* by event ID; without the first source's events */
	std::vector<uint64_t> closed_ids_;
	std::vector<EventAccount> closed_; /* the accounts of closed events */
	uint64_t closed_lost_ = 0;
	bool everybody_ = false; /* the only member is "all processes" */
	bool hides_kernel_ = false;
	bool cgroups_ = false;
	bool newer_ = true; /* use features that kernels before 6.0 lack */
};

} // namespace cli
