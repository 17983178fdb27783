// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/look_pace.h  How often the reader looks at a recording. */
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace cli {

/** The time between two looks while there are ticks: new texts are opened before processes end. */
constexpr std::chrono::milliseconds look_interval{100};

/**
 * Between two looks, at most 1 / table_part of the table may fill up.  (It is replaced when it is
 * three eighths full.)
 */
constexpr uint64_t table_part = 8;

/**
 * The time until the next look at a recording.  It doubles while there are hardly any ticks, so
 * that the reader does not keep an idle machine busy.
 *
 * It stays shorter than the time in which the table can become too full, even if all CPUs become
 * busy now.  Once it is at its maximum, the reader may rest until the module wakes it.
 */
class LookPace {
public:
	/**
	 * @param counts the number of elements in the table.
	 * @param ticks the highest possible number of ticks in one look_interval.
	 */
	void begin(uint64_t counts, uint64_t ticks)
	{
		const uint64_t most =
			look_interval.count() * (counts / table_part) / std::max<uint64_t>(ticks, 1);

		longest_ = std::clamp(std::chrono::milliseconds(most), look_interval, longest);
	}
	[[nodiscard]] std::chrono::milliseconds interval() const { return soon_ ? look_interval : interval_; }
	/** True if it is time for a look(). */
	[[nodiscard]] bool due(std::chrono::steady_clock::time_point now) const
	{
		return now >= last_ + interval();
	}
	/** Something has happened: look soon. */
	void hurry()
	{
		interval_ = look_interval;
		quiet_ = false;
	}
	/** True if there were hardly any ticks before the last look. */
	[[nodiscard]] bool quiet() const { return quiet_; }
	/** True if the reader may rest: at most once a second, in case it is woken at once. */
	[[nodiscard]] bool may_rest(std::chrono::steady_clock::time_point now) const
	{
		return quiet_ && !soon_ && interval_ == longest_ && now >= rested_ + longest;
	}
	/** The reader begins to rest until the module wakes it. */
	void rest(std::chrono::steady_clock::time_point now) { rested_ = now; }
	/** The module has woken the reader: this counts as a look, and the next one is soon. */
	void wake(std::chrono::steady_clock::time_point now, uint64_t ticks)
	{
		ticks_ = ticks;
		last_ = now;
		soon_ = true;
	}
	/** The reader has looked.  @param ticks the recording's ticks so far. */
	void look(std::chrono::steady_clock::time_point now, uint64_t ticks)
	{
		/* Up to ten ticks a second count as quiet: a look itself causes one or two. */
		quiet_ = (ticks - ticks_) * look_interval <= now - last_;
		interval_ = quiet_ ? std::min(2 * interval_, longest_) : look_interval;
		ticks_ = ticks;
		last_ = now;
		soon_ = false;
	}

private:
	static constexpr std::chrono::milliseconds longest{1000};

	std::chrono::milliseconds interval_{look_interval};
	std::chrono::milliseconds longest_{look_interval};
	std::chrono::steady_clock::time_point last_{};
	std::chrono::steady_clock::time_point rested_{};
	bool quiet_ = false;
	bool soon_ = false; /* the reader was woken since the last look */
	uint64_t ticks_ = 0;
};

} // namespace cli
