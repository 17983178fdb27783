// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/recorder.h  Attaches to processes, follows them, and adds up their samples. */
#pragma once

#include "cli/objects/object.h"
#include "cli/objects/owners.h"
#include "cli/objects/tally.h"
#include "cli/process/selection.h"
#include "cli/profile/accounting.h"
#include "cli/profile/event_account.h"
#include "cli/profile/thread_total.h"

#include <chrono>
#include <memory>
#include <poll.h>
#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

namespace cli {

using Clock = std::chrono::steady_clock;

/** The interval at which a recording is checked for changes that nothing reports. */
constexpr std::chrono::seconds check_interval{1};

/** The place at which a program's time in the kernel is counted. */
enum class KernelTime {
	ByFunction, /**< at the address in the kernel; without the right to see addresses, as
		       [kernel] */
	AtCall,	    /**< at the instruction that called the kernel */
	LeftOut,
};

/** The result of a recording. */
struct Recording {
	Tally tally;
	Owners owners;	      /**< the owners of the tally's buckets */
	ThreadTotals threads; /**< with RecorderSettings::per_thread */
	Accounting accounting;
	uint64_t counter_bytes = 0;	       /**< peak memory of counters */
	std::vector<std::string> targets;      /**< "python3 (pid 4711)": some attached ones */
	uint64_t processes = 0;		       /**< number of processes profiled since the start */
	std::shared_ptr<Object> program;       /**< the program with the most samples */
	uint64_t slice_ms = 0;		       /**< length of a time slice; 0: no slices */
	uint64_t missing = 0;		       /**< counted samples that the counters lack */
	std::vector<EventAccount> events = {}; /**< of all sources, if these are events; no names */
	bool by_perf = false;		       /**< perf's events were sampled, without the module */
	bool without_kernel = false;	       /**< perf sampled nothing in the kernel */
};

/** Receives reports of processes that cannot be profiled; the recording goes on without them. */
class RecorderLog {
public:
	virtual ~RecorderLog() = default;
	/** A process was not attached. */
	virtual void refused(pid_t pid, const std::string &name, const std::string &why) = 0;
	/** A line about something else that the user should know. */
	virtual void warn(const std::string &text) = 0;
};

/** Profiles the processes of one recording, and their children. */
class Recorder {
public:
	Recorder() = default;
	Recorder(const Recorder &) = delete;
	Recorder &operator=(const Recorder &) = delete;
	virtual ~Recorder() = default;

	/**
	 * Attach to all these processes at once, except those that are already profiled.
	 * @param young whether the processes have just started their programs.
	 * @return the number of attached processes; failures are reported to the log.
	 */
	virtual size_t attach(std::span<const pid_t> pids, bool young) = 0;

	/**
	 * Record all processes of a selection, including future ones, without attaching to each.
	 * @return false if that is not possible or not permitted; the caller then has to search
	 *         for processes.
	 */
	virtual bool attach_everybody(const Selection &) { return false; }

	/** For poll(2): call work() once one of these is ready. */
	[[nodiscard]] virtual std::vector<pollfd> descriptors() const = 0;
	/** The latest time to call work() again, unless a descriptor is ready before. */
	[[nodiscard]] virtual Clock::time_point next_work(Clock::time_point now) const = 0;
	/** Handle events, new mappings or texts, and ended profiles. */
	virtual void work(Clock::time_point now) = 0;
	/** True if every process has ended. */
	[[nodiscard]] virtual bool idle() const = 0;
	/** True if a process is profiled now. */
	[[nodiscard]] virtual bool is_profiled(pid_t pid) const = 0;
	/** The number of processes profiled so far. */
	[[nodiscard]] virtual uint64_t processes() const = 0;
	/** The accounting of every tick since the start, or since the last part. */
	[[nodiscard]] virtual Accounting accounting() const = 0;

	/** A copy of the recording since the start, or since the last part; counting goes on. */
	virtual Recording snapshot() = 0;
	/** Like snapshot(), but start the next part: every sample is in exactly one part. */
	virtual Recording take_part() = 0;
	/** Return a part that could not be used; it is added to the next part. */
	virtual void give_back(const Recording &part) = 0;
	/** Detach from all processes and return the recording. */
	virtual Recording finish() = 0;
};

} // namespace cli
