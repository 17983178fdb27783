// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/space_recorder.h  Records by address space, in counters for its mappings. */
#pragma once

#include "cli/objects/kernel_objects.h"
#include "cli/recording/recorder.h"
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

/**
 * Records by address space, for what the module's own recordings (PROFIL_RECORD) cannot do, or
 * if it has none.
 *
 * Every attached process, and every program that one of them executes, gets a
 * Target.  Forked children are profiled by their parent's target until they map
 * something of their own.
 */
class SpaceRecorder : public Recorder {
public:
	/** @param log must outlive this. */
	SpaceRecorder(Session session, RecorderSettings settings, RecorderLog &log);

	size_t attach(std::span<const pid_t> pids, bool young) override;
	[[nodiscard]] std::vector<pollfd> descriptors() const override
	{
		return {{session_.fd(), POLLIN, 0}};
	}
	[[nodiscard]] Clock::time_point next_work(Clock::time_point now) const override;
	void work(Clock::time_point now) override;
	[[nodiscard]] bool idle() const override { return targets_.empty(); }
	[[nodiscard]] bool is_profiled(pid_t pid) const override { return profile_of_.contains(pid); }
	[[nodiscard]] uint64_t processes() const override { return recording_.processes; }
	[[nodiscard]] Accounting accounting() const override;
	Recording snapshot() override;
	Recording take_part() override;
	void give_back(const Recording &part) override;
	Recording finish() override;

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
	[[nodiscard]] std::map<uint32_t, uint64_t> all_kernel() const;
	[[nodiscard]] std::map<uint32_t, uint64_t> new_kernel() const;
	void add_kernel(Recording &recording) const;
	void count_raw();
	void tidy();
	void complete(Recording &recording, const Accounting &accounting) const;
	void retire(uint32_t profile);
	void retire_ended();

	Session session_;
	RecorderLog &log_;
	bool per_process_;
	bool threads_;
	KernelTime kernel_time_;
	bool warned_ = false; /* that a process cannot get a profile of its own */
	TargetBuilder builder_;
	std::map<uint32_t, TargetPointer> targets_;
	std::map<pid_t, uint32_t> profile_of_;
	Recording recording_;
	Accounting ended_;  /* of profiles that have ended */
	Accounting parted_; /* of all parts that were taken */
	std::shared_ptr<Object> kernel_ = KernelObjects().find(0).object;
	std::map<uint32_t, uint64_t>
		ended_kernel_; /* ticks in the kernel by owner, of profiles that have ended */
	std::map<uint32_t, uint64_t> parted_kernel_; /* the same of all parts */
	Clock::duration drain_interval_;
	Clock::time_point next_drain_;
	Clock::time_point next_tidying_;
};

} // namespace cli
