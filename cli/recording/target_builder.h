// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/target_builder.h  Makes targets for processes, and attaches them. */
#pragma once

#include "cli/objects/object.h"
#include "cli/objects/owners.h"
#include "cli/objects/tally.h"
#include "cli/recording/counters.h"
#include "cli/recording/recorder.h"
#include "cli/recording/session.h"
#include "cli/recording/target.h"

#include <cstdint>
#include <linux/perf_event.h>
#include <memory>
#include <optional>
#include <span>
#include <sys/types.h>
#include <vector>

namespace cli {

/** How to record. */
struct RecorderSettings {
	uint64_t period = 0; /**< ns between samples, or events */
	KernelTime kernel = KernelTime::ByFunction;
	bool follow = true;	  /**< also profile forked children */
	bool threads = false;	  /**< targets are single threads */
	bool per_process = false; /**< each process has counters of its own */
	uint64_t memory = 0;	  /**< most bytes to pin */
	uint32_t regions = 0;	  /**< most regions for one target */
	bool per_thread = false;  /**< also add up the samples of each thread */
	bool per_cgroup =
		false; /**< tell a program's processes apart by their cgroups, if that is possible */
	std::optional<perf_event_attr> event; /**< what ticks instead of the clock */
};

/** Why a target was not attached. */
struct AttachError {
	int error = 0;		    /**< errno value; 0: it was attached */
	const char *step = nullptr; /**< as in struct profil_target */
};

/** Makes targets, and owns what they share: the objects, and the counters of their text. */
class TargetBuilder {
public:
	/** @param session must outlive this. */
	TargetBuilder(const Session &session, RecorderSettings settings)
		: session_(session), settings_(settings)
	{
	}

	/**
	 * A target for the present mappings of a process, not attached yet.
	 * @param pinned bytes that all targets together have pinned so far.
	 */
	TargetPointer prepare(pid_t pid, bool young, uint64_t pinned);
	/** Attach all targets at once; returns an error for each, which is 0 if it was attached. */
	std::vector<AttachError> attach(std::span<TargetPointer> targets, uint64_t pinned);
	/** Update the regions of an attached target to the present mappings. */
	void update(Target &target, uint64_t pinned);

	/** A target without counters, for a program that has just started. */
	TargetPointer young_target(pid_t pid);
	/** The processes that have counters of their own. */
	Owners &owners() { return owners_; }
	[[nodiscard]] const Owners &owners() const { return owners_; }
	/** Forget the anonymous memory of a process that has ended or called exec. */
	void forget_memory(pid_t pid) { objects_.forget_memory(pid); }
	/** Release objects that are not mapped and have no samples. */
	void forget_unused();
	CounterPool &pool() { return pool_; }
	[[nodiscard]] const CounterPool &pool() const { return pool_; }
	/** The program with most samples. */
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
