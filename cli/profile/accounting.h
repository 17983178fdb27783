// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/profile/accounting.h  What became of every tick. */
#pragma once

#include "profil.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** The sum of the statuses of some profiles. */
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
	uint64_t lost_exec = 0;
	uint64_t forks_lost = 0;

	void add(const profil_status &status);
	/** The same of another recording; sums saturate, since files hold any number. */
	void add(const Accounting &other);
	/** What has come since @p earlier, which was of the same profiles. */
	[[nodiscard]] Accounting since(const Accounting &earlier) const;
	/** Ticks lost, for whatever cause. */
	[[nodiscard]] uint64_t lost() const { return lost_late + lost_contended + lost_exec; }
	bool operator==(const Accounting &) const = default;
};

/** One of the ways a tick can end. */
struct Cause {
	std::string_view key; /**< in files and JSON: the name in struct profil_status */
	uint64_t Accounting::*member;
	std::string_view words;
};

/** All of them; their sum is ticks. */
std::span<const Cause> all_causes();

/**
 * Lines that account for every tick, aligned; causes without ticks are left out.
 * Empty when there is nothing to account for.
 */
std::vector<std::string> accounting_lines(const Accounting &accounting);

} // namespace cli
