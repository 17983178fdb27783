// SPDX-License-Identifier: GPL-2.0-or-later
/** @file recorder.h  Attaches to processes, follows them, and adds up their samples. */
#pragma once

#include "cli/accounting.h"
#include "cli/attacher.h"
#include "cli/object.h"
#include "cli/result.h"
#include "cli/session.h"
#include "cli/tally.h"
#include "cli/target.h"

#include <functional>
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
	Accounting accounting;
	std::string granularity;
	uint64_t counter_bytes = 0;	  /**< memory of counters, at most */
	std::vector<std::string> targets; /**< "python3 (pid 4711)", of those that were attached first */
	uint64_t processes = 0;		  /**< that were met */
	std::shared_ptr<Object> program;  /**< of the programs that ran, the one with most samples */
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
	/** @param warn receives a line about what cannot be profiled, while the rest goes on. */
	Recorder(Session session, RecorderSettings settings, std::function<void(const std::string &)> warn);
	Recorder(const Recorder &) = delete;
	Recorder &operator=(const Recorder &) = delete;

	/**
	 * Attach to all of them at once; done once, before anything else.
	 * @param young have they just begun their programs?
	 * @return how many were attached; the others were warned about.
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
	/** How many were met so far. */
	[[nodiscard]] uint64_t processes() const { return recording_.processes; }
	/** What became of every tick so far. */
	[[nodiscard]] Accounting accounting() const;

	/** Detach from all, and hand over what there is. */
	Recording finish();

private:
	[[nodiscard]] uint64_t pinned() const;
	void install(TargetPointer target);
	Target *attach_again(pid_t pid, bool new_program, bool &warned);

	void handle_events();
	void handle_event(const profil_event &event);
	void leave(pid_t pid);

	void look_after(Target &target, Clock::time_point now);
	bool check(Target &target, Clock::time_point now);
	void scan(Target &target);
	void resolve(Target &target, Clock::time_point now, bool rescan);
	std::vector<uint64_t> count_known(const Target &target, std::span<const uint64_t> pcs);
	Target *adopt(Target &target, std::span<const uint64_t> pcs);
	void renew(Target &target, Clock::time_point now);
	void retire(uint32_t profile);
	void retire_ended();

	Session session_;
	std::function<void(const std::string &)> warn_;
	Attacher attacher_;
	std::map<uint32_t, TargetPointer> targets_;
	std::map<pid_t, uint32_t> profile_of_;
	Recording recording_;
	Clock::time_point next_drain_;
};

} // namespace cli
