// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/push/recording.h"

#include "cli/base/characters.h"
#include "cli/base/numbers.h"
#include "cli/base/stop_signals.h"
#include "cli/base/stream.h"
#include "cli/commands/push/delivery.h"
#include "cli/commands/push/queue.h"
#include "cli/commands/push/series.h"
#include "cli/http/client.h"
#include "cli/recording/recorded_profile.h"
#include "cli/recording/recording_run.h"
#include "cli/recording/refusals.h"
#include "cli/symbols/build_profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <random>

namespace cli {
namespace {

/* The longest time at the end for sending the waiting profiles. */
constexpr std::chrono::seconds grace{10};
/* Waiting profiles are sent two to four times as fast as new ones arrive: see pace_delay(). */
constexpr double pace_in_intervals = 0.5;
/* The longest pause, in seconds: a server gains nothing from pauses beyond an hour. */
constexpr double longest_pace = 3600;

PushQueueSettings queue_settings(double interval)
{
	PushQueueSettings settings;

	settings.pace = std::chrono::milliseconds(
		std::llround(std::min(interval * pace_in_intervals, longest_pace) * 1e3));
	return settings;
}

double random_share()
{
	std::random_device source;

	return std::uniform_real_distribution<double>()(source);
}

void say(const std::string &text)
{
	write_message(fmt::format("profil push: {}\n", printable(text)));
}

Result<std::vector<HttpRequest>> requests_for(const PushOptions &options, const Profile &profile)
{
	const Result<std::vector<PushSeries>> series = push_series(options.labels, profile, "");

	if (!series)
		return series.error();
	return encode_push(options.format, *series);
}

class PushRun : private RecorderLog {
public:
	PushRun(const PushOptions &options, HttpClient client)
		: options_(options), client_(std::move(client)), profiler_(*options.target, *this),
		  length_(first_interval(options.interval, random_share())),
		  queue_(
			  queue_settings(options.interval),
			  [this](const HttpRequest &request, const std::function<bool()> &cancelled) {
				  return deliver(client_, options_.format, request, cancelled);
			  },
			  say, [this] { return random_(); }, clock_)
	{
	}

	Outcome run();

private:
	void refused(pid_t pid, const std::string &process, const std::string &why) override
	{
		refusals_.add(pid, process, why, options_.target->selection.searches());
	}
	void warn(const std::string &text) override { say(text); }

	Outcome begin();
	void push(const Recording &recording, const RecordedTime &time);
	RecordedTime next_part();
	void push_part();
	Outcome end();
	double random_() { return std::uniform_real_distribution<double>()(generator_); }

	const PushOptions &options_;
	HttpClient client_;
	Refusals refusals_;
	StopSignals signals_;
	RecordingRun profiler_;
	std::mt19937 generator_{std::random_device()()}; /* only the queue's thread uses it */
	double length_;					 /* of the current part, in seconds */
	PushClock clock_;
	PushQueue queue_; /* its thread ends before the members above are destroyed */
	Clock::time_point part_;
	int64_t part_nanos_ = 0;
	uint64_t unsaid_ = 0; /* profiles that could not be encoded */
};

Outcome PushRun::begin()
{
	Outcome begun = profiler_.prepare();

	if (begun)
		begun = profiler_.start();
	if (begun && profiler_.backend().perf)
		say(backend_line(profiler_.backend(), profiler_.perf_cost()));
	for (const std::string &line : refusals_.lines())
		say(line);
	refusals_ = Refusals();
	next_part();
	return begun;
}

/* End a part, and return its time; the next part begins at the same moment. */
RecordedTime PushRun::next_part()
{
	const Clock::time_point now = Clock::now();
	const RecordedTime time = {part_nanos_, std::chrono::duration<double>(now - part_).count(),
				   profiler_.sources()};

	part_ = now;
	part_nanos_ = wall_clock_ns();
	return time;
}

/* Enqueue a part, unless it has no samples. */
void PushRun::push(const Recording &recording, const RecordedTime &time)
{
	std::vector<std::string> warnings;

	if (!recording.tally.total())
		return;

	const Profile profile = recorded_profile(recording, time, Lines::Stored, warnings);

	Result<std::vector<HttpRequest>> requests = requests_for(options_, profile);

	if (!requests) {
		unsaid_++;
		say(requests.error().text);
		return;
	}
	queue_.push(*std::move(requests));
}

void PushRun::push_part()
{
	const RecordedTime time = next_part();

	length_ = options_.interval;
	push(profiler_.recorder().take_part(), time);
}

Outcome PushRun::end()
{
	const RecordedTime time = next_part();

	push(profiler_.recorder().finish(), time);

	const PushCounters counters = queue_.finish(grace);
	const uint64_t dropped =
		counters.dropped_refused + counters.dropped_full + counters.dropped_shutdown + unsaid_;

	for (const std::string &line : refusals_.lines())
		say(line);
	say(fmt::format("{} sent to {}", counted_noun(counters.sent, "profile"), client_.url()));
	if (!dropped)
		return Done();
	return Error{fmt::format(
		"{} lost: {} refused by the server, {} dropped for lack of room, {} unsent at the end, "
		"{} not expressible in the format",
		counted_noun(dropped, "profile"), grouped(counters.dropped_refused),
		grouped(counters.dropped_full), grouped(counters.dropped_shutdown), grouped(unsaid_))};
}

Outcome PushRun::run()
{
	if (Outcome begun = begin(); !begun)
		return begun;

	const std::array descriptors = {signals_.fd()};

	while (!StopSignals::caught() && !profiler_.over()) {
		profiler_.step(length_ - seconds_since(part_), descriptors);
		if (seconds_since(part_) >= length_)
			push_part();
	}

	Outcome ended = end();

	if (profiler_.command())
		profiler_.end_command(signals_);
	return ended;
}

/* Refuse labels that the format cannot express before anything is recorded. */
Outcome check_labels(const PushOptions &options)
{
	std::vector<SampleSource> sources;

	for (const Event &event : options.target->events)
		sources.push_back({event.name, "count", event.period, {}});

	const Result<std::vector<HttpRequest>> requests =
		requests_for(options, sources.empty() ? Profile() : empty_profile(sources));

	return requests ? Outcome(Done()) : requests.error();
}

} // namespace

double first_interval(double interval, double random)
{
	return interval * (0.5 + random);
}

Outcome push_recording(const PushOptions &options)
{
	Result<HttpSettings> settings = http_settings(options);

	if (!settings)
		return settings.error();
	/* Hide the secrets from the command. */
	unsetenv(push_token_variable);
	unsetenv(push_password_variable);

	Result<HttpClient> client = HttpClient::create(*std::move(settings));

	if (!client)
		return client.error();
	if (Outcome checked = check_labels(options); !checked)
		return checked;
	if (client->exposes_secrets())
		say(client->url() + ": the password or token is sent in clear text (use https)");
	return PushRun(options, *std::move(client)).run();
}

} // namespace cli
