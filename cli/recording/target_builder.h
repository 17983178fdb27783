// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/target_builder.h  Makes targets: from a process to a profile that counts it. */
#pragma once

#include "cli/objects/object.h"
#include "cli/objects/owners.h"
#include "cli/objects/tally.h"
#include "cli/recording/counters.h"
#include "cli/recording/session.h"
#include "cli/recording/target.h"

#include <cstdint>
#include <memory>
#include <span>
#include <sys/types.h>
#include <vector>

namespace cli {

/** How to record. */
struct RecorderSettings {
	uint64_t period = 0; /**< ns between samples */
	bool kernel_ticks = false;
	bool follow = true;	  /**< are forked children profiled, too? */
	bool threads = false;	  /**< are targets single threads? */
	bool per_process = false; /**< has each process counters of its own? */
	uint64_t memory = 0;	  /**< most bytes to pin */
	uint32_t regions = 0;	  /**< most of them for one target */
};

/** Why a target was not attached. */
struct AttachError {
	int error = 0;		    /**< errno value; 0: it was attached */
	const char *step = nullptr; /**< as in struct profil_target */
};

/** Owns what targets share: the objects, and the counters of their text. */
class TargetBuilder {
public:
	/** @param session outlives this. */
	TargetBuilder(const Session &session, RecorderSettings settings)
		: session_(session), settings_(settings)
	{
	}

	/**
	 * A target for the present mappings of a process, not attached yet.
	 * @param pinned bytes that all targets have pinned already.
	 */
	TargetPointer prepare(pid_t pid, bool young, uint64_t pinned);
	/** Attach all of them at once; one error for each, and for each without it a profile. */
	std::vector<AttachError> attach(std::span<TargetPointer> targets, uint64_t pinned);
	/** Bring the regions of an attached target up to date with what is mapped. */
	void update(Target &target, uint64_t pinned);

	/** A target without counters, for a program that has just begun. */
	TargetPointer young_target(pid_t pid);
	/** The processes that have counters of their own. */
	Owners &owners() { return owners_; }
	[[nodiscard]] const Owners &owners() const { return owners_; }
	/** A process's memory is not what it was: it has ended, or runs another program. */
	void forget_memory(pid_t pid) { objects_.forget_memory(pid); }
	/** Let go of objects that nothing maps and no samples are of. */
	void forget_unused();
	CounterPool &pool() { return pool_; }
	[[nodiscard]] const CounterPool &pool() const { return pool_; }
	/** Of the programs that ran, the one with most samples. */
	[[nodiscard]] std::shared_ptr<Object> busiest_program(const Tally &tally) const;

private:
	TargetPointer make_target(pid_t pid, bool young);
	[[nodiscard]] Room room(uint64_t pinned, unsigned floor) const;
	void cover(Target &target, Room room);
	bool set_regions(Target &target);
	void note_program(pid_t pid, std::span<const Mapping> mappings);
	std::vector<AttachError> try_attach(std::span<TargetPointer> targets);
	AttachError attach_coarser(TargetPointer &target, uint64_t pinned);

	const Session &session_;
	RecorderSettings settings_;
	ObjectTable objects_;
	CounterPool pool_;
	std::vector<std::shared_ptr<Object>> programs_;
	Owners owners_;
};

} // namespace cli
