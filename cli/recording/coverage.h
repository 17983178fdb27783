// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/recording/coverage.h  From the mappings of a process to regions. */
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

/** A run of a process's text; without counters, its PCs come as raw samples. */
struct Piece {
	uint64_t low = 0;
	uint64_t high = 0;
	uint64_t link = 0; /**< link-time address of low */
	std::shared_ptr<Object> object;
	std::shared_ptr<CounterArray> counters;

	bool operator==(const Piece &) const = default;
};

/** How much memory, and how many regions, a target may have. */
struct Room {
	uint64_t bytes = 0;	       /**< of new counters; 0: none at all */
	unsigned floor = 0;	       /**< finest granularity, as a shift */
	uint32_t regions = UINT32_MAX; /**< most of them */
	uint32_t owner = 0;	       /**< whose counters they are, as in Bucket */
};

/** The text of one target: ascending, disjoint pieces. */
class Coverage {
public:
	/**
	 * Cover the present mappings of a process, all of them; pieces that are
	 * still mapped keep their counters.
	 */
	void update(pid_t pid, std::span<const Mapping> mappings, ObjectTable &objects, CounterPool &pool,
		    Room room);

	/** The piece that holds a PC, or NULL. */
	[[nodiscard]] const Piece *find(uint64_t pc) const;
	/** Never empty: without any region a full array of samples would end the profile. */
	[[nodiscard]] std::vector<profil_region> regions() const;
	/** Go without those counters that @p other does not have. */
	void drop_counters_beyond(const Coverage &other);
	/** Memory of all its counters. */
	[[nodiscard]] uint64_t bytes() const;
	bool operator==(const Coverage &) const = default;

private:
	std::vector<Piece> pieces_;
};

} // namespace cli
