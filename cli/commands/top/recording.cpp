// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/top/recording.h"

#include "cli/profile/about.h"
#include "cli/recording/recorded_profile.h"
#include "profil.h"

namespace cli {
namespace {

constexpr size_t most_warnings = 3;

} // namespace

TopRecording::TopRecording(const TargetOptions &options) : options_(options), profiler_(options, *this) {}

void TopRecording::refused(pid_t pid, const std::string &process, const std::string &why)
{
	refusals_.add(pid, process, why, options_.selection.searches());
}

void TopRecording::warn(const std::string &text)
{
	warnings_.push_back(text);
	if (warnings_.size() > most_warnings)
		warnings_.pop_front();
}

std::vector<std::string> TopRecording::notices() const
{
	std::vector<std::string> lines = refusals_.lines();

	lines.insert(lines.end(), warnings_.begin(), warnings_.end());
	return lines;
}

Outcome TopRecording::start()
{
	if (Outcome prepared = profiler_.prepare(); !prepared)
		return prepared;
	if (Outcome started = profiler_.start(); !started)
		return started;
	if (profiler_.backend().perf)
		warn(backend_line(profiler_.backend(), profiler_.perf_cost()));
	live_.emplace(profiler_.sources());
	start_ = Clock::now();
	return Done();
}

void TopRecording::skip()
{
	profiler_.recorder().take_part();
	start_ = Clock::now();
}

void TopRecording::wait(double seconds, std::span<const int> descriptors)
{
	profiler_.step(seconds, descriptors);
}

std::vector<Change> TopRecording::take()
{
	const Recording part = profiler_.recorder().take_part();

	accounting_.add(part.accounting);
	add_events(events_, part.events);

	std::vector<Change> changes = live_->add(part.tally, part.owners, part.events);

	describe(part);
	return changes;
}

void TopRecording::describe(const Recording &part)
{
	Profile &profile = live_->profile();

	profile.duration_nanos = static_cast<int64_t>(seconds_since(start_) * 1e9);
	profile.comments = to_comments({profil_version(),
					part.targets,
					part.processes,
					accounting_,
					{},
					{},
					0,
					event_accounts(accounted_sources(profiler_.sources(), events_)),
					part.by_perf ? "perf" : ""});
}

void TopRecording::zero()
{
	const Recording part = profiler_.recorder().take_part();

	live_->zero();
	accounting_ = Accounting();
	events_.clear();
	start_ = Clock::now();
	describe(part);
}

} // namespace cli
