// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/recorder.h  Attaches to processes, follows them, and adds up their samples. */
#pragma once

#include "cli/base/result.h"
#include "cli/objects/object.h"
#include "cli/objects/owners.h"
#include "cli/objects/tally.h"
#include "cli/profile/accounting.h"
#include "cli/recording/session.h"
#include "cli/recording/target.h"
#include "cli/recording/target_builder.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

namespace cli {

/** The result of a recording. */
struct Recording {
	Tally tally;
	Owners owners; /**< of the tally's buckets */
	Accounting accounting;
	std::string granularity;
	uint64_t counter_bytes = 0; /**< peak memory of counters */
	std::vector<std::string>
		targets;	/**< "python3 (pid 4711)": some of those attached by number or name */
	uint64_t processes = 0; /**< number of processes profiled since the start */
	std::shared_ptr<Object> program; /**< the program with most samples */
	uint64_t missing = 0; /**< samples that the module counted but that are not in the counters */
};

/** Receives reports of what cannot be profiled, while the rest goes on. */
class RecorderLog {
public:
	virtual ~RecorderLog() = default;
	/** A process was not attached. */
	virtual void refused(pid_t pid, const std::string &name, const std::string &why) = 0;
	/** A line about something else that the user should know. */
	virtual void warn(const std::string &text) = 0;
};

/**
 * The profiles of one recording.
 *
 * Every attached process, and every program that one of them executes, gets a
 * Target.  Forked children are profiled by their parent's target until they map
 * something of their own.
 */
class Recorder {
public:
	/** @param log must outlive this. */
	Recorder(Session session, RecorderSettings settings, RecorderLog &log);
	Recorder(const Recorder &) = delete;
	Recorder &operator=(const Recorder &) = delete;

	/**
	 * Attach to all of them at once, except those that are already profiled.
	 * @param young whether they have just started their programs.
	 * @return how many were attached; failures are reported to the log.
	 */
	size_t attach(std::span<const pid_t> pids, bool young);

	/** For poll(2): readable when there are events of processes. */
	[[nodiscard]] int fd() const { return session_.fd(); }
	/** The latest time to call work() again. */
	[[nodiscard]] Clock::time_point next_work(Clock::time_point now) const;
	/** Handle events, new mappings, raw samples and ended profiles. */
	void work(Clock::time_point now);
	/** Has every process ended? */
	[[nodiscard]] bool idle() const { return targets_.empty(); }
	/** Is a process profiled now? */
	[[nodiscard]] bool is_profiled(pid_t pid) const { return profile_of_.contains(pid); }
	/** The number of processes profiled so far. */
	[[nodiscard]] uint64_t processes() const { return recording_.processes; }
	/** The accounting of every tick since the start, or since the last part. */
	[[nodiscard]] Accounting accounting() const;

	/** A copy of the recording since the start, or since the last part; counting goes on. */
	Recording snapshot();
	/** Like snapshot(), but start the next part: every sample is in exactly one part. */
	Recording take_part();
	/** Add a part that could not be used to the next one. */
	void give_back(const Recording &part);
	/** Detach from all processes and return the recording. */
	Recording finish();

private:
	[[nodiscard]] uint64_t pinned() const;
	void install(TargetPointer target);
	Target *attach_again(pid_t pid, bool new_program, bool &warned);

	void handle_events();
	void handle_event(const profil_event &event);
	void leave(pid_t pid);
	void end_thread(Target &target);
	[[nodiscard]] std::string label(pid_t pid) const;

	void look_after(Target &target, Clock::time_point now);
	bool check(Target &target, Clock::time_point now);
	void scan(Target &target);
	void resolve(Target &target, Clock::time_point now, bool rescan);
	std::vector<uint64_t> count_known(const Target &target, std::span<const uint64_t> pcs);
	Target *adopt(Target &target, std::span<const uint64_t> pcs);
	void renew(Target &target, Clock::time_point now);
	[[nodiscard]] Accounting all_ticks() const;
	void count_raw();
	void tidy();
	void complete(Recording &recording, const Accounting &accounting) const;
	void retire(uint32_t profile);
	void retire_ended();

	Session session_;
	RecorderLog &log_;
	bool per_process_;
	bool threads_;
	bool warned_ = false; /* that a process cannot get a profile of its own */
	TargetBuilder builder_;
	std::map<uint32_t, TargetPointer> targets_;
	std::map<pid_t, uint32_t> profile_of_;
	Recording recording_;
	Accounting ended_;  /* of profiles that have ended */
	Accounting parted_; /* of all parts that were taken */
	Clock::duration drain_interval_;
	Clock::time_point next_drain_;
	Clock::time_point next_tidying_;
};

} // namespace cli
