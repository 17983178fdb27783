// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/coverage.h  Makes regions from the mappings of a process. */
#pragma once

#include "cli/objects/object.h"
#include "cli/process/maps.h"
#include "cli/recording/counters.h"

#include <cstdint>
#include <memory>
#include <span>
#include <sys/types.h>
#include <vector>

namespace cli {

/** A range of a process's text; without counters, its PCs arrive as raw samples. */
struct Piece {
	uint64_t low = 0;
	uint64_t high = 0;
	uint64_t link = 0; /**< link-time address of low */
	std::shared_ptr<Object> object;
	std::shared_ptr<CounterArray> counters;

	bool operator==(const Piece &) const = default;
};

/** Limits for the counters of a target. */
struct Room {
	uint64_t bytes = 0;	       /**< memory of counters; 0: no counters at all */
	unsigned floor = 0;	       /**< finest granularity, as a shift */
	uint32_t regions = UINT32_MAX; /**< maximum number of regions */
	uint32_t owner = 0;	       /**< owner of the counters, as in Bucket */
};

/** The text of one target: sorted, disjoint pieces. */
class Coverage {
public:
	/**
	 * Cover all present mappings of a process; pieces that are still mapped
	 * keep their counters.
	 */
	void update(pid_t pid, std::span<const Mapping> mappings, ObjectTable &objects, CounterPool &pool,
		    Room room);

	/** The piece that contains a PC, or nullptr. */
	[[nodiscard]] const Piece *find(uint64_t pc) const;
	/** Never empty: without any region, a full array of samples would end the profile. */
	[[nodiscard]] std::vector<profil_region> regions() const;
	/** Drop the counters that @p other does not have. */
	void drop_counters_beyond(const Coverage &other);
	/** The memory of all its counters. */
	[[nodiscard]] uint64_t bytes() const;
	bool operator==(const Coverage &) const = default;

private:
	std::vector<Piece> pieces_;
};

} // namespace cli
