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

/** What was recorded. */
struct Recording {
	Tally tally;
	Owners owners; /**< of the tally's buckets */
	Accounting accounting;
	std::string granularity;
	uint64_t counter_bytes = 0; /**< memory of counters, at most */
	std::vector<std::string>
		targets;	/**< "python3 (pid 4711)", of some that were attached by number or name */
	uint64_t processes = 0; /**< that were met since the beginning */
	std::shared_ptr<Object> program; /**< of the programs that ran, the one with most samples */
	uint64_t missing = 0;		 /**< that the module says it counted, and are not in the counters */
};

/** Who is told of what cannot be profiled, while the rest goes on. */
class RecorderLog {
public:
	virtual ~RecorderLog() = default;
	/** A process was not attached. */
	virtual void refused(pid_t pid, const std::string &name, const std::string &why) = 0;
	/** Something else that the user should know, in a line. */
	virtual void warn(const std::string &text) = 0;
};

/**
 * The profiles of one recording.
 *
 * Every process that is attached, and every program that one of them executes,
 * gets a Target; its forked children are met by their parent's until they map
 * something of their own.
 */
class Recorder {
public:
	/** @param log lives longer than this. */
	Recorder(Session session, RecorderSettings settings, RecorderLog &log);
	Recorder(const Recorder &) = delete;
	Recorder &operator=(const Recorder &) = delete;

	/**
	 * Attach to all of them at once, but those that are met already.
	 * @param young have they just begun their programs?
	 * @return how many were attached; the log was told of the others.
	 */
	size_t attach(std::span<const pid_t> pids, bool young);

	/** For poll(2): readable when processes have something to tell. */
	[[nodiscard]] int fd() const { return session_.fd(); }
	/** When to call work() again, at the latest. */
	[[nodiscard]] Clock::time_point next_work(Clock::time_point now) const;
	/** Take note of what has happened. */
	void work(Clock::time_point now);
	/** Has every process ended? */
	[[nodiscard]] bool idle() const { return targets_.empty(); }
	/** Is it profiled? */
	[[nodiscard]] bool meets(pid_t pid) const { return profile_of_.contains(pid); }
	/** How many were met so far. */
	[[nodiscard]] uint64_t processes() const { return recording_.processes; }
	/** What became of every tick so far. */
	[[nodiscard]] Accounting accounting() const;

	/** What there is since the beginning, or since the last part; counting goes on. */
	Recording snapshot();
	/** The same, and what comes from now on is of the next part: nothing is in none or in two. */
	Recording take_part();
	/** A part that could not be used is of the next one, too. */
	void give_back(const Recording &part);
	/** Detach from all, and hand over what there is. */
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
	bool warned_ = false; /* that a process cannot be told apart */
	TargetBuilder builder_;
	std::map<uint32_t, TargetPointer> targets_;
	std::map<pid_t, uint32_t> profile_of_;
	Recording recording_;
	Accounting ended_;  /* of profiles that are no more */
	Accounting parted_; /* of all, in parts that were taken */
	Clock::duration drain_interval_;
	Clock::time_point next_drain_;
	Clock::time_point next_tidying_;
};

} // namespace cli
