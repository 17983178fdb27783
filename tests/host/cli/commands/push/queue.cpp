// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/push/queue.cpp  The push queue: order, retries, drops and
 * counters. */
#include "cli/commands/push/queue.h"

#include "cli/base/numbers.h"
#include "cli/commands/push/recording.h"
#include "tests/host/cli/http/receiver.h"
#include "tests/support/catch.h"

#include <atomic>
#include <fmt/format.h>
#include <future>

using namespace cli;
using namespace std::chrono_literals;

namespace {

/** A clock that jumps to the end of each wait. */
class JumpingClock : public PushClock {
public:
	PushTime now() override { return PushTime(std::chrono::nanoseconds(time_.load())); }
	void wait(std::unique_lock<std::mutex> &, std::condition_variable &, PushTime until,
		  const std::function<bool()> &) override
	{
		waits_.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(until - now()));
		time_ = until.time_since_epoch().count();
	}
	void pass(std::chrono::nanoseconds time) { time_ += time.count(); }
	/** The length of each wait.  There is no lock: read this only after the queue has ended. */
	[[nodiscard]] const std::vector<std::chrono::milliseconds> &waits() const { return waits_; }

private:
	std::atomic<int64_t> time_ = 0;
	std::vector<std::chrono::milliseconds> waits_;
};

/** Gives the answers in turn, then repeats the last one; keeps the requests. */
class Script {
public:
	explicit Script(std::vector<Delivery> answers) : answers_(std::move(answers)) {}

	Delivery operator()(const HttpRequest &request)
	{
		const std::lock_guard lock(mutex_);
		const Delivery answer = answers_[std::min(sent_.size(), answers_.size() - 1)];

		sent_.push_back(request.body);
		return answer;
	}
	[[nodiscard]] std::vector<std::string> sent() const
	{
		const std::lock_guard lock(mutex_);

		return sent_;
	}

private:
	mutable std::mutex mutex_;
	const std::vector<Delivery> answers_;
	std::vector<std::string> sent_;
};

/** A queue, its dependencies, and its messages. */
struct Bench {
	JumpingClock clock;
	std::mutex mutex;
	std::vector<std::string> said;

	std::unique_ptr<PushQueue> queue(PushQueue::Send send, PushQueueSettings settings = {})
	{
		return std::make_unique<PushQueue>(
			settings, std::move(send),
			[this](const std::string &text) {
				const std::lock_guard lock(mutex);

				said.push_back(text);
			},
			[] { return 0.5; }, clock);
	}
};

PushQueue::Send by(Script &script)
{
	return [&script](const HttpRequest &request, const std::function<bool()> &) {
		return script(request);
	};
}

HttpRequest with(const std::string &body)
{
	return {"/", {}, body};
}

/** A push of a single request. */
std::vector<HttpRequest> alone(const std::string &body)
{
	return {with(body)};
}

/* Polls: the progress of another thread shows only in its effects. */
template <typename Condition> bool eventually(const Condition &condition)
{
	for (int i = 0; i < 3000 && !condition(); i++)
		std::this_thread::sleep_for(10ms);
	return condition();
}

const Delivery taken = {};
const Delivery later = {Fate::Later, "URL: 503", std::nullopt};
const Delivery refused = {Fate::Refused, "URL: 400", std::nullopt};

} // namespace

TEST_CASE("back-off doubles up to its limit, with jitter", "[cli][push]")
{
	const PushQueueSettings settings;

	CHECK(backoff_delay(settings, 1, 0, {}) == 250ms);
	CHECK(backoff_delay(settings, 1, 0.5, {}) == 375ms);
	CHECK(backoff_delay(settings, 2, 0, {}) == 500ms);
	CHECK(backoff_delay(settings, 4, 0.5, {}) == 3000ms);
	CHECK(backoff_delay(settings, 8, 0, {}) == 30s);
	CHECK(backoff_delay(settings, 4000000000, 0.5, {}) == 45s);
}

TEST_CASE("the pace of what waited has jitter, and so has the first interval", "[cli][push]")
{
	PushQueueSettings settings;

	CHECK(pace_delay(settings, 0.9) == 0ms);
	settings.pace = 8s;
	CHECK(pace_delay(settings, 0) == 4s);
	CHECK(pace_delay(settings, 0.5) == 6s);
	CHECK(first_interval(16, 0) == 8);
	CHECK(first_interval(16, 0.75) == 20);
}

TEST_CASE("Retry-After is waited for, but not for ever", "[cli][push]")
{
	const PushQueueSettings settings;

	CHECK(backoff_delay(settings, 1, 0, 10s) == 10125ms);
	CHECK(backoff_delay(settings, 1, 0, 0s) == 250ms);
	CHECK(backoff_delay(settings, 1, 0.5, 100000000s) == 60s);
	CHECK(backoff_delay(settings, 20, 0, 1s) == 30s);
}

TEST_CASE("profiles are sent in their order", "[cli][push]")
{
	Bench bench;
	Script script({taken});
	const auto queue = bench.queue(by(script));

	for (const char *body : {"a", "b", "c"})
		queue->push(alone(body));
	CHECK(queue->finish(1s) == PushCounters{3, 0, 0, 0, 0});
	CHECK(script.sent() == std::vector<std::string>{"a", "b", "c"});
	CHECK(bench.said.empty());
}

TEST_CASE("a busy server is tried again, later each time, and one message says so", "[cli][push]")
{
	Bench bench;
	Script script({later, later, {Fate::Later, "URL: 429", 20s}, taken});
	const auto queue = bench.queue(by(script));

	queue->push(alone("a"));
	REQUIRE(eventually([&queue] { return queue->counters().sent == 1; }));
	CHECK(queue->finish(1s) == PushCounters{1, 3, 0, 0, 0});
	CHECK(bench.clock.waits() == std::vector<std::chrono::milliseconds>{375ms, 750ms, 20750ms});
	CHECK(script.sent() == std::vector<std::string>(4, "a"));
	CHECK(bench.said == std::vector<std::string>{"URL: 503: will be tried again, first in 0.38 s",
						     "the server accepts profiles again, after 3 failures"});
}

TEST_CASE("profiles queued while the server was away follow at a pace, and later ones at once", "[cli][push]")
{
	Bench bench;
	Script script({later, taken, refused, taken});
	PushQueueSettings settings;
	std::promise<void> ready;

	settings.pace = 8s;

	const auto queue = bench.queue(
		[&script, ready = ready.get_future().share()](const HttpRequest &request,
							      const std::function<bool()> &) {
			ready.wait();
			return script(request);
		},
		settings);

	for (const char *body : {"a", "b", "c"})
		queue->push(alone(body));
	ready.set_value();
	REQUIRE(eventually([&queue] { return queue->counters().sent == 2; }));
	queue->push(alone("d"));
	REQUIRE(eventually([&queue] { return queue->counters().sent == 3; }));
	CHECK(queue->finish(1s) == PushCounters{3, 1, 1, 0, 0});
	CHECK(bench.clock.waits() == std::vector<std::chrono::milliseconds>{375ms, 6s, 6s});
	CHECK(script.sent() == std::vector<std::string>{"a", "a", "b", "c", "d"});
}

TEST_CASE("the requests of a part are bounded and paced as one", "[cli][push]")
{
	Bench bench;
	Script script({later, taken});
	PushQueueSettings settings;
	std::promise<void> begun;
	std::promise<void> ready;

	settings.most_parts = 2;
	settings.pace = 8s;

	const auto queue = bench.queue(
		[&](const HttpRequest &request, const std::function<bool()> &) {
			if (script.sent().empty()) {
				begun.set_value();
				ready.get_future().wait();
			}
			return script(request);
		},
		settings);

	queue->push({with("a1"), with("a2"), with("a3")});
	begun.get_future().wait();
	queue->push({with("b1"), with("b2"), with("b3")});
	queue->push({with("c1"), with("c2"), with("c3")});
	CHECK(queue->waiting() == 6);
	ready.set_value();
	REQUIRE(eventually([&queue] { return queue->counters().sent == 6; }));
	CHECK(queue->finish(1s) == PushCounters{6, 0, 0, 3, 0});
	CHECK(script.sent() == std::vector<std::string>{"a1", "b1", "b2", "b3", "c1", "c2", "c3"});
	CHECK(bench.clock.waits() == std::vector<std::chrono::milliseconds>{375ms, 6s});
}

TEST_CASE("a profile that the server refuses is dropped, and the next one sent", "[cli][push]")
{
	Bench bench;
	Script script({refused, taken});
	const auto queue = bench.queue(by(script));

	queue->push(alone("a"));
	queue->push(alone("b"));
	CHECK(queue->finish(1s) == PushCounters{1, 0, 1, 0, 0});
	CHECK(script.sent() == std::vector<std::string>{"a", "b"});
	CHECK(bench.said == std::vector<std::string>{"URL: 400: the profile is dropped"});
}

TEST_CASE("a push does not wait for the profile that is being sent, and the oldest is dropped", "[cli][push]")
{
	Bench bench;
	std::promise<void> begun;
	std::promise<void> release;
	std::shared_future<void> released = release.get_future().share();
	std::vector<std::string> sent;
	const auto queue = bench.queue(
		[&](const HttpRequest &request, const std::function<bool()> &) {
			if (sent.empty())
				begun.set_value();
			sent.push_back(request.body);
			released.wait();
			return Delivery();
		},
		{3, 8});

	queue->push(alone("first"));
	begun.get_future().wait();
	for (const char *body : {"aa", "bb", "cc", "dd"})
		queue->push(alone(body));
	CHECK(queue->waiting() == 3);
	CHECK(queue->counters().dropped_full == 1);
	/* 2 + 2 + 2 + 5 bytes exceed the limit of 8, so the two oldest are dropped. */
	queue->push(alone("eeeee"));
	CHECK(queue->waiting() == 2);
	CHECK(queue->counters().dropped_full == 3);
	/* A profile too large to fit even alone evicts no other. */
	queue->push(alone("123456789"));
	CHECK(queue->waiting() == 2);
	CHECK(queue->counters().dropped_full == 4);
	queue->push(alone("z"));
	release.set_value();
	CHECK(queue->finish(1s) == PushCounters{4, 0, 0, 4, 0});
	CHECK(sent == std::vector<std::string>{"first", "dd", "eeeee", "z"});
}

TEST_CASE("a profile that failed is the oldest, and is dropped when there is no room", "[cli][push]")
{
	Bench bench;
	std::promise<void> begun;
	std::promise<void> release;
	std::vector<std::string> sent;
	const auto queue = bench.queue(
		[&](const HttpRequest &request, const std::function<bool()> &) {
			sent.push_back(request.body);
			if (sent.size() > 1)
				return Delivery();
			begun.set_value();
			release.get_future().wait();
			return later;
		},
		{1, 100});

	queue->push(alone("a"));
	begun.get_future().wait();
	queue->push(alone("b"));
	release.set_value();
	REQUIRE(eventually([&queue] { return queue->counters().sent == 1; }));
	CHECK(queue->finish(1s) == PushCounters{1, 0, 0, 1, 0});
	CHECK(sent == std::vector<std::string>{"a", "b"});
}

TEST_CASE("at the end, everything is tried once more while there is time", "[cli][push]")
{
	Bench bench;
	std::promise<void> begun;
	std::promise<void> release;
	std::vector<std::string> sent;
	const auto queue = bench.queue([&](const HttpRequest &request, const std::function<bool()> &) {
		sent.push_back(request.body);
		if (sent.size() == 1) {
			begun.set_value();
			release.get_future().wait();
		}
		/* The third attempt lasts longer than the whole grace period. */
		if (sent.size() == 3)
			bench.clock.pass(2s);
		return later;
	});

	for (const char *body : {"a", "b", "c", "d"})
		queue->push(alone(body));
	begun.get_future().wait();

	std::future<PushCounters> finished =
		std::async(std::launch::async, [&queue] { return queue->finish(1s); });

	/* finish() refuses later profiles.  It returns only after the first one is released. */
	CHECK(eventually([&queue] {
		queue->push(alone("late"));
		return queue->counters().dropped_shutdown > 0;
	}));

	const uint64_t before = queue->counters().dropped_shutdown;
	const size_t waiting = queue->waiting();

	release.set_value();
	CHECK(finished.get().sent == 0);
	/* The three profiles that were tried, and those whose turn did not come. */
	CHECK(queue->counters().dropped_shutdown == before + waiting + 1);
	CHECK(sent == std::vector<std::string>{"a", "b", "c"});
	CHECK(bench.said ==
	      std::vector<std::string>{fmt::format("URL: 503: the profile is dropped, because profil is "
						   "ending; {} will be tried once more",
						   counted_noun(waiting, "waiting profile"))});
}

TEST_CASE("a real server that comes up late gets what was recorded meanwhile", "[cli][push]")
{
	Bench bench;
	std::atomic<int> calls = 0;
	const http_test::Receiver server([&calls](const httplib::Request &, httplib::Response &response) {
		response.status = ++calls <= 2 ? 503 : 200;
	});
	HttpSettings settings;

	settings.url = server.url();

	const Result<HttpClient> client = HttpClient::create(settings);

	REQUIRE(client);

	const auto queue =
		bench.queue([&client](const HttpRequest &request, const std::function<bool()> &cancelled) {
			return deliver(*client, PushFormat::Pyroscope, request, cancelled);
		});

	queue->push(alone("a"));
	queue->push(alone("b"));
	REQUIRE(eventually([&queue] { return queue->counters().sent == 2; }));
	CHECK(queue->finish(1s) == PushCounters{2, 2, 0, 0, 0});

	std::vector<std::string> bodies;

	for (const httplib::Request &got : server.requests())
		bodies.push_back(got.body);
	CHECK(bodies == std::vector<std::string>{"a", "a", "a", "b"});
	CHECK(bench.said.front().starts_with(server.url() +
					     ": 503 Service Unavailable: will be tried again"));
}

TEST_CASE("a server that never answers cannot delay the end", "[cli][push]")
{
	PushClock clock;
	const http_test::RawServer server(http_test::never_answer);
	HttpSettings settings;

	settings.url = server.url();
	settings.timeout = 24h;

	const Result<HttpClient> client = HttpClient::create(settings);
	std::promise<void> begun;

	REQUIRE(client);

	PushQueue queue(
		{},
		[&](const HttpRequest &request, const std::function<bool()> &cancelled) {
			begun.set_value();
			return deliver(*client, PushFormat::Pyroscope, request, cancelled);
		},
		[](const std::string &) {}, [] { return 0.0; }, clock);

	queue.push(alone("a"));
	begun.get_future().wait();
	CHECK(queue.finish(100ms) == PushCounters{0, 0, 0, 0, 1});
}
