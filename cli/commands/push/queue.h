// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/push/queue.h  A queue of profiles for a server that may be unavailable. */
#pragma once

#include "cli/commands/push/delivery.h"
#include "cli/http/message.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace cli {

using PushTime = std::chrono::steady_clock::time_point;

/** The clock of a queue; tests use another. */
class PushClock {
public:
	PushClock() = default;
	PushClock(const PushClock &) = delete;
	PushClock &operator=(const PushClock &) = delete;
	virtual ~PushClock() = default;

	[[nodiscard]] virtual PushTime now() { return std::chrono::steady_clock::now(); }
	/** Wait until @p until, or until @p done(); every notification of @p changed checks it. */
	virtual void wait(std::unique_lock<std::mutex> &lock, std::condition_variable &changed,
			  PushTime until, const std::function<bool()> &done)
	{
		changed.wait_until(lock, until, done);
	}
};

/** The limits of the back-off and of the queue. */
struct PushQueueSettings {
	size_t most_parts = 60;		      /**< waiting parts, except the one being sent */
	size_t most_bytes = size_t{64} << 20; /**< the most bytes of all waiting profiles */
	std::chrono::milliseconds first_delay{500};
	std::chrono::milliseconds longest_delay{60000};
	/** The longest pause between parts that waited while the server was away; 0: none. */
	std::chrono::milliseconds pace{0};
};

/** Every profile is finally counted in sent, or in one of the dropped counters. */
struct PushCounters {
	uint64_t sent = 0;
	uint64_t retried = 0;	       /**< attempts after a profile's first one */
	uint64_t dropped_refused = 0;  /**< refused by the server */
	uint64_t dropped_full = 0;     /**< the queue was full, or the profile too large for it */
	uint64_t dropped_shutdown = 0; /**< not sent before the end */

	bool operator==(const PushCounters &) const = default;
};

/**
 * The wait before the next attempt.  The delay doubles with each failure.  The wait is a
 * random time between half of the delay and all of it, so that many clients do not
 * retry together.  If the server sends a longer Retry-After, the wait is at least that
 * long, up to the longest delay.
 * @param failures the number of failures in a row, at least 1.
 * @param random in [0, 1).
 */
std::chrono::milliseconds backoff_delay(const PushQueueSettings &settings, unsigned failures, double random,
					std::optional<std::chrono::seconds> retry_after);

/**
 * The pause before the next waiting part is sent: between half of PushQueueSettings::pace
 * and all of it.  Without the pause, every client would send all its parts at once to a server
 * that has just come back.
 * @param random in [0, 1).
 */
std::chrono::milliseconds pace_delay(const PushQueueSettings &settings, double random);

/**
 * A bounded queue, and the thread that sends its requests, oldest first.
 *
 * The mutex is held only for bookkeeping, never while a request is sent or a message
 * printed: push() waits neither for the network nor for a terminal.
 */
class PushQueue {
public:
	using Send = std::function<Delivery(const HttpRequest &, const std::function<bool()> &cancelled)>;
	/** Prints a message; called by the queue's thread. */
	using Say = std::function<void(const std::string &)>;

	/** @param random returns numbers in [0, 1).  @param clock must outlive this. */
	PushQueue(PushQueueSettings settings, Send send, Say say, std::function<double()> random,
		  PushClock &clock);
	PushQueue(const PushQueue &) = delete;
	PushQueue &operator=(const PushQueue &) = delete;
	/** Like finish() without grace. */
	~PushQueue();

	/**
	 * Enqueue the requests of one part of the recording.  If the queue is then too full, drop
	 * its oldest requests.  A request that alone exceeds the bound is dropped itself.  A part
	 * has one request, or one for each series.
	 */
	void push(std::vector<HttpRequest> part);
	/**
	 * Accept no more requests, and try every waiting request once more, for at most
	 * @p grace.  Then cancel the request that is being sent, if any, and end the thread.
	 */
	PushCounters finish(std::chrono::milliseconds grace);
	[[nodiscard]] PushCounters counters() const;
	/** The number of waiting requests, not counting the request that is being sent. */
	[[nodiscard]] size_t waiting() const;

private:
	struct Item {
		HttpRequest request;
		uint64_t part = 0;
		bool tried = false;
	};

	void run();
	bool wait_for_work(std::unique_lock<std::mutex> &lock);
	void attempt(std::unique_lock<std::mutex> &lock);
	[[nodiscard]] std::string settle(Item item, const Delivery &delivery);
	[[nodiscard]] std::string put_back(Item item, const Delivery &delivery);
	void keep_pace(uint64_t part);
	void drop_surplus();
	[[nodiscard]] bool out_of_time() const;

	const PushQueueSettings settings_;
	const Send send_;
	const Say say_;
	const std::function<double()> random_;
	PushClock &clock_;

	mutable std::mutex mutex_; /**< guards everything below except thread_ */
	std::condition_variable changed_;
	std::deque<Item> items_;
	size_t bytes_ = 0;
	uint64_t parts_ = 0; /**< parts so far; the numbers of waiting parts are consecutive */
	PushCounters counters_;
	unsigned failures_ = 0; /**< failures in a row */
	bool behind_ = false;	/**< parts are waiting because of a failure */
	PushTime not_before_;	/**< the earliest time of the next attempt */
	bool closing_ = false;
	bool said_end_ = false; /**< the user knows that profiles are now dropped on failure */
	PushTime deadline_;	/**< the end of the grace period, once closing_ is set */
	std::thread thread_;
};

} // namespace cli
