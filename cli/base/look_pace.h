// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/look_pace.h  How often a recording is looked at. */
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace cli {

/** New texts are opened within this time while there are ticks: their processes may end. */
constexpr std::chrono::milliseconds look_interval{100};

/**
 * The time until the next look at a recording: it doubles while hardly anything ticks, so that an
 * idle machine is left alone.
 *
 * It stays shorter than the time in which the table can become too full, if all CPUs are busy
 * from now on.
 */
class LookPace {
public:
	/** @param counts elements of the table; @param ticks that can come within look_interval. */
	void begin(uint64_t counts, uint64_t ticks)
	{
		const uint64_t most = look_interval.count() * (counts / 8) / std::max<uint64_t>(ticks, 1);

		longest_ = std::clamp(std::chrono::milliseconds(most), look_interval, longest);
	}
	[[nodiscard]] std::chrono::milliseconds interval() const { return interval_; }
	/** Is it time for a look()? */
	[[nodiscard]] bool due(std::chrono::steady_clock::time_point now) const
	{
		return now >= last_ + interval_;
	}
	/** Something happens: look soon. */
	void hurry() { interval_ = look_interval; }
	/** @param ticks so far. */
	void look(std::chrono::steady_clock::time_point now, uint64_t ticks)
	{
		/* Of the reader's own looks, each second has a tick or two at high rates. */
		const bool quiet = (ticks - ticks_) * look_interval <= now - last_;

		interval_ = quiet ? std::min(2 * interval_, longest_) : look_interval;
		ticks_ = ticks;
		last_ = now;
	}

private:
	static constexpr std::chrono::milliseconds longest{1000};

	std::chrono::milliseconds interval_{look_interval};
	std::chrono::milliseconds longest_{look_interval};
	std::chrono::steady_clock::time_point last_{};
	uint64_t ticks_ = 0;
};

} // namespace cli
