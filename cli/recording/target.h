// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/target.h  One attached profile, and the processes in it. */
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
 * PCs outside all regions, in the order in which the kernel stores them.
 *
 * They reveal new mappings.  The array is never rewound: a target whose array
 * fills up is attached again.
 */
class RawSamples {
public:
	static constexpr uint64_t capacity = 8192;

	RawSamples() : memory_(capacity * sizeof(uint64_t)) {}

	[[nodiscard]] bool ok() const { return memory_.data() != nullptr; }
	[[nodiscard]] void *data() const { return memory_.data(); }
	[[nodiscard]] uint64_t bytes() const { return memory_.bytes(); }
	/** Are there PCs that were not taken yet? */
	[[nodiscard]] bool pending() const;
	[[nodiscard]] bool nearly_full() const { return position_ >= capacity / 4 * 3; }
	/** The PCs since the last call. */
	std::vector<uint64_t> take();
	/** The remaining PCs, after the kernel has stopped; it has stored @p stored in all. */
	std::vector<uint64_t> take_rest(uint64_t stored);

private:
	[[nodiscard]] uint64_t at(uint64_t index) const;

	CounterMemory memory_;
	uint64_t position_ = 0;
	uint64_t gap_ = capacity; /* index of the 0 before other elements where the last take() stopped */
};

/**
 * When to scan the mappings of a program that has just started: ld.so maps its
 * objects in the first moments.
 */
class ScanSchedule {
public:
	/** @param young whether the program has just started. */
	explicit ScanSchedule(bool young);

	/** The time of the next scan; nothing when the program is no longer young. */
	[[nodiscard]] std::optional<Clock::time_point> next() const { return next_; }
	[[nodiscard]] bool due(Clock::time_point now) const { return next_ && *next_ <= now; }
	/** Note that a scan is made now. */
	void advance(Clock::time_point now);

private:
	std::chrono::milliseconds delay_{1};
	std::optional<Clock::time_point> next_;
};

/** The pause after no mapping of unknown PCs was found, and after a failed attempt to attach again. */
constexpr std::chrono::seconds patience_interval{1};
/** How often a target is checked for changes that no event reports. */
constexpr std::chrono::seconds check_interval{1};

/** A profile of the session. */
struct Target {
	Target(pid_t process, bool young) : pid(process), members{process}, scans(young) {}

	/**
	 * Young programs have no counters: most end soon, and raw samples, which cost
	 * nothing to set up, are enough for their few samples.
	 */
	[[nodiscard]] bool young() const { return scans.next().has_value(); }
	/** The bytes that the kernel has pinned for it. */
	[[nodiscard]] uint64_t pinned() const { return in_kernel.bytes() + raw.bytes(); }
	/** The profile to attach; refers to @p regions and to this target's memory. */
	[[nodiscard]] profil_spec spec(uint64_t period, uint32_t flags,
				       const std::vector<profil_region> &regions) const;

	pid_t pid;		 /**< the process whose mappings have regions */
	std::set<pid_t> members; /**< this process, and its children without a profile of their own */
	uint32_t owner = 0;	 /**< as in Bucket */
	uint32_t profile = 0;
	std::optional<ProgramStart> start; /**< for a thread, whose exec no event reports */
	Coverage coverage;
	/** The coverage that the kernel uses, mostly the same; its counters must not be freed. */
	Coverage in_kernel;
	RawSamples raw;
	ScanSchedule scans;
	Clock::time_point patience{}; /**< unknown PCs wait until then, after an unsuccessful search */
	Clock::time_point renewal{};  /**< do not attach again before */
	Clock::time_point next_check = Clock::now() + check_interval;
	uint64_t counted = 0; /**< at the last check */
	bool warned = false;  /**< that it cannot be attached again */
	bool over = false;    /**< the module has ended the profile */
};

using TargetPointer = std::unique_ptr<Target>;

} // namespace cli
