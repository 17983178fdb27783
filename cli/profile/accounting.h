// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/profile/accounting.h  Accounts for every tick by its cause. */
#pragma once

#include "profil.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** The words for ticks in the kernel that are not in any row. */
inline constexpr std::string_view in_kernel_not_counted = "in the kernel, not counted (--user-only)";

/** The words for Accounting::lost_unowned. */
inline constexpr std::string_view lost_of_unknown_owner = "lost, process unknown (of the whole machine)";

/** The statuses of one or more profiles added up, and the CPU time of the machine. */
struct Accounting {
	uint64_t ticks = 0;
	uint64_t counted = 0;
	uint64_t outside = 0;
	uint64_t saturated = 0;
	uint64_t kernel = 0;
	uint64_t no_user_pc = 0;
	uint64_t off = 0;
	uint64_t lost_late = 0;
	uint64_t lost_contended = 0;
	uint64_t lost_full = 0;
	uint64_t lost_unowned = 0; /**< with a selection: lost ticks of any process, not in ticks */
	uint64_t forks_lost = 0;
	uint64_t cpu_ms = 0;  /**< time of all CPUs; 0 unless every process was recorded */
	uint64_t idle_ms = 0; /**< the part of cpu_ms in which no process ran */

	void add(const profil_status &status);
	/** Add the accounting of another recording; sums saturate, as files can hold any number. */
	void add(const Accounting &other);
	/** The difference from an @p earlier accounting of the same profiles. */
	[[nodiscard]] Accounting since(const Accounting &earlier) const;
	/** The ticks that were lost, for any cause. */
	[[nodiscard]] uint64_t lost() const { return lost_late + lost_contended + lost_full; }
	bool operator==(const Accounting &) const = default;
};

/** One of the possible outcomes of a tick. */
struct Cause {
	std::string_view key; /**< the name in struct profil_status, used in files and JSON */
	uint64_t Accounting::*member;
	std::string_view words;
};

/** All causes; their counts add up to Accounting::ticks. */
std::span<const Cause> all_causes();

/**
 * Aligned lines that account for every tick, and for CPU time if it is known; causes without
 * ticks are left out.
 * Empty if there are no ticks, not even lost ones of unknown owners.
 * @param of the source of the ticks.
 * @param kernel the words for ticks in the kernel.
 */
std::vector<std::string> accounting_lines(const Accounting &accounting, std::string_view of = "of the clock",
					  std::string_view kernel = in_kernel_not_counted);

/**
 * The accounting on one line: "9,953 ticks: 89.43 % counted, 10.57 % lost: the clock was late".
 * @param of the source of the ticks, with a space before it.
 */
std::string accounting_line(const Accounting &accounting, std::string_view of = "");

/** The number of recorded processes: "2 processes"; "all processes" if every process was. */
std::string processes_text(uint64_t processes, const Accounting &accounting);

} // namespace cli
