// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/target.h  One attached profile, and the processes that it meets. */
#pragma once

#include "cli/objects/tally.h"
#include "cli/process/process.h"
#include "cli/recording/coverage.h"
#include "profil.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace cli {

using Clock = std::chrono::steady_clock;

/**
 * PCs that are in no region, in the order in which the kernel stores them.
 *
 * They are what new mappings betray themselves by.  The array is never
 * rewound: a target whose array fills up is attached anew.
 */
class RawSamples {
public:
	static constexpr uint64_t capacity = 8192;

	RawSamples() : memory_(capacity * sizeof(uint64_t)) {}

	[[nodiscard]] bool ok() const { return memory_.data() != nullptr; }
	[[nodiscard]] void *data() const { return memory_.data(); }
	[[nodiscard]] uint64_t bytes() const { return memory_.bytes(); }
	/** Has anything come that was not taken? */
	[[nodiscard]] bool pending() const;
	[[nodiscard]] bool nearly_full() const { return position_ >= capacity / 4 * 3; }
	/** What has come since the last time. */
	std::vector<uint64_t> take();
	/** The rest, when the kernel, which says that it stored @p stored, stores no more. */
	std::vector<uint64_t> take_rest(uint64_t stored);

private:
	[[nodiscard]] uint64_t at(uint64_t index) const;

	CounterMemory memory_;
	uint64_t position_ = 0;
	uint64_t gap_ = capacity; /* where the last take() ended at a 0 with more behind it */
};

/**
 * When a program that has just started is looked at: ld.so maps its objects in
 * the first moments.
 */
class ScanSchedule {
public:
	/** @param young has the program just started? */
	explicit ScanSchedule(bool young);

	/** Nothing when it is not young any more. */
	[[nodiscard]] std::optional<Clock::time_point> next() const { return next_; }
	[[nodiscard]] bool due(Clock::time_point now) const { return next_ && *next_ <= now; }
	/** It is looked at now. */
	void advance(Clock::time_point now);

private:
	std::chrono::milliseconds delay_{1};
	std::optional<Clock::time_point> next_;
};

/** After a search for unknown PCs in vain, and an attempt to attach anew. */
constexpr std::chrono::seconds patience_interval{1};
/** How often a target is checked for what it does not tell by itself. */
constexpr std::chrono::seconds check_interval{1};

/** A profile of the session. */
struct Target {
	Target(pid_t process, bool young) : pid(process), members{process}, scans(young) {}

	/**
	 * Young programs have no counters: most end soon, and for the few samples
	 * until then the raw ones do, which cost nothing to set up.
	 */
	[[nodiscard]] bool young() const { return scans.next().has_value(); }
	/** Bytes that the kernel has pinned for it. */
	[[nodiscard]] uint64_t pinned() const { return in_kernel.bytes() + raw.bytes(); }
	/** What to attach; refers to @p regions and to this target's memory. */
	[[nodiscard]] profil_spec spec(uint64_t period, uint32_t flags,
				       const std::vector<profil_region> &regions) const;

	pid_t pid;		 /**< whose mappings its regions are */
	std::set<pid_t> members; /**< it, and its children that have no profile of their own */
	uint32_t owner = 0;	 /**< as in Bucket */
	uint32_t profile = 0;
	std::optional<ProgramStart> start; /**< of a thread, of whose exec no event tells */
	Coverage coverage;
	/** What the kernel counts by: mostly the same, and its counters must not be freed. */
	Coverage in_kernel;
	RawSamples raw;
	ScanSchedule scans;
	Clock::time_point patience{}; /**< until when unknown PCs wait, after a search in vain */
	Clock::time_point renewal{};  /**< not to be attached anew before */
	Clock::time_point next_check = Clock::now() + check_interval;
	uint64_t counted = 0; /**< at the last check */
	bool warned = false;  /**< that it cannot be attached anew */
	bool over = false;    /**< the module has ended the profile */
};

using TargetPointer = std::unique_ptr<Target>;

} // namespace cli
