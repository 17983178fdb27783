// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/bench/recording.h  A recording with a table of 64 KiB, for the programs of make bench. */
#pragma once

#include "profil.h"

#include <cstddef>
#include <cstdint>
#include <linux/perf_event.h>
#include <span>
#include <sys/types.h>

namespace bench {

/** A recording that ends with the object.  Any failure ends the program. */
class Recording {
public:
	Recording();
	Recording(const Recording &) = delete;
	Recording &operator=(const Recording &) = delete;
	~Recording();

	/** @param event a PERF_TYPE_SOFTWARE event; the CPU clock selects the module's clock */
	void begin(pid_t pid, std::uint32_t flags, std::uint64_t period,
		   std::uint64_t event = PERF_COUNT_SW_CPU_CLOCK);
	/** Adds processes, with one submission for each batch. */
	void add(std::span<const pid_t> pids);
	/** The number of ticks in the table. */
	std::uint64_t counted() const;
	void end();

private:
	static constexpr std::uint32_t counts = 4096;
	static constexpr std::size_t bytes = counts * sizeof(profil_count);

	profil_session *session = profil_session_open();
	void *table = profil_counters_alloc(bytes);
	std::uint32_t profile = 0;
};

} // namespace bench
