// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/push/queue.h"

#include "cli/base/numbers.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace cli {

std::chrono::milliseconds backoff_delay(const PushQueueSettings &settings, unsigned failures, double random,
					std::optional<std::chrono::seconds> retry_after)
{
	const double longest = static_cast<double>(settings.longest_delay.count());
	const double doubled = std::min(longest, std::ldexp(static_cast<double>(settings.first_delay.count()),
							    static_cast<int>(std::min(failures, 64U)) - 1));
	const double wanted = retry_after ? static_cast<double>(retry_after->count()) * 1e3 : 0;
	/* Spread the attempts after Retry-After, too: all clients may have got the same time. */
	const double spread = doubled * (0.5 + random / 2);

	return std::chrono::milliseconds(
		std::llround(std::min(longest, wanted > 0 ? std::max(spread, wanted + spread / 2) : spread)));
}

std::chrono::milliseconds pace_delay(const PushQueueSettings &settings, double random)
{
	return std::chrono::milliseconds(
		std::llround(static_cast<double>(settings.pace.count()) * (0.5 + random / 2)));
}

PushQueue::PushQueue(PushQueueSettings settings, Send send, Say say, std::function<double()> random,
		     PushClock &clock)
	: settings_(settings), send_(std::move(send)), say_(std::move(say)), random_(std::move(random)),
	  clock_(clock), thread_([this] { run(); })
{
}

PushQueue::~PushQueue()
{
	finish(std::chrono::milliseconds(0));
}

void PushQueue::push(std::vector<HttpRequest> part)
{
	{
		const std::lock_guard lock(mutex_);

		if (closing_) {
			counters_.dropped_shutdown += part.size();
			return;
		}
		const uint64_t number = parts_ + 1;

		for (HttpRequest &request : part) {
			/* A request that alone exceeds the bound must not evict others. */
			if (request.body.size() > settings_.most_bytes) {
				counters_.dropped_full++;
				continue;
			}
			bytes_ += request.body.size();
			items_.push_back({std::move(request), number});
			drop_surplus();
			parts_ = number;
		}
	}
	changed_.notify_one();
}

void PushQueue::drop_surplus()
{
	while (!items_.empty() && (items_.back().part - items_.front().part >= settings_.most_parts ||
				   bytes_ > settings_.most_bytes)) {
		bytes_ -= items_.front().request.body.size();
		items_.pop_front();
		counters_.dropped_full++;
	}
}

PushCounters PushQueue::finish(std::chrono::milliseconds grace)
{
	{
		const std::lock_guard lock(mutex_);

		if (!closing_)
			deadline_ = clock_.now() + grace;
		closing_ = true;
	}
	changed_.notify_one();
	if (thread_.joinable())
		thread_.join();
	return counters();
}

PushCounters PushQueue::counters() const
{
	const std::lock_guard lock(mutex_);

	return counters_;
}

size_t PushQueue::waiting() const
{
	const std::lock_guard lock(mutex_);

	return items_.size();
}

bool PushQueue::out_of_time() const
{
	const std::lock_guard lock(mutex_);

	return closing_ && clock_.now() >= deadline_;
}

/* Wait for a request that may be sent.  Return false if the thread is to end. */
bool PushQueue::wait_for_work(std::unique_lock<std::mutex> &lock)
{
	changed_.wait(lock, [this] { return closing_ || !items_.empty(); });
	if (!closing_ && clock_.now() < not_before_)
		clock_.wait(lock, changed_, not_before_, [this] { return closing_; });
	return !closing_ || (!items_.empty() && clock_.now() < deadline_);
}

void PushQueue::run()
{
	std::unique_lock lock(mutex_);

	while (wait_for_work(lock)) {
		if (!items_.empty())
			attempt(lock);
	}
	counters_.dropped_shutdown += items_.size();
	items_.clear();
	bytes_ = 0;
}

void PushQueue::attempt(std::unique_lock<std::mutex> &lock)
{
	Item item = std::move(items_.front());

	items_.pop_front();
	bytes_ -= item.request.body.size();
	counters_.retried += item.tried ? 1 : 0;
	lock.unlock();

	const Delivery delivery = send_(item.request, [this] { return out_of_time(); });

	lock.lock();

	const std::string message = settle(std::move(item), delivery);

	if (message.empty())
		return;
	lock.unlock();
	say_(message);
	lock.lock();
}

/* Act on the result of an attempt; return a message for the user, or "". */
std::string PushQueue::settle(Item item, const Delivery &delivery)
{
	if (delivery.fate == Fate::Later)
		return put_back(std::move(item), delivery);

	const unsigned failures = std::exchange(failures_, 0);

	keep_pace(item.part);
	if (delivery.fate == Fate::Refused) {
		counters_.dropped_refused++;
		return delivery.reason + ": the profile is dropped";
	}
	counters_.sent++;
	return failures ? fmt::format("the server accepts profiles again, after {}",
				      counted_noun(failures, "failure"))
			: "";
}

/* The server answers again: send the other waiting parts at the configured pace. */
void PushQueue::keep_pace(uint64_t part)
{
	behind_ = behind_ && !items_.empty();
	if (behind_ && items_.front().part != part)
		not_before_ = clock_.now() + pace_delay(settings_, random_());
}

std::string PushQueue::put_back(Item item, const Delivery &delivery)
{
	if (closing_) {
		counters_.dropped_shutdown++;
		/* Say so only once: the line would be the same for each waiting profile. */
		if (std::exchange(said_end_, true))
			return "";
		return fmt::format("{}: the profile is dropped, because profil is ending; {} will "
				   "be tried once more",
				   delivery.reason, counted_noun(items_.size(), "waiting profile"));
	}

	const std::chrono::milliseconds delay =
		backoff_delay(settings_, ++failures_, random_(), delivery.retry_after);

	behind_ = settings_.pace.count() > 0;
	not_before_ = clock_.now() + delay;
	item.tried = true;
	bytes_ += item.request.body.size();
	items_.push_front(std::move(item));
	drop_surplus();
	/* Say so only once: a server that is down for a night must not cause a thousand lines. */
	if (failures_ > 1)
		return "";
	return fmt::format("{}: will be tried again, first in {}", delivery.reason,
			   duration_text(static_cast<double>(delay.count()) / 1e3));
}

} // namespace cli
