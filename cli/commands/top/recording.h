// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/top/recording.h  The samples of running processes, for profil top. */
#pragma once

#include "cli/commands/top/feed.h"
#include "cli/profile/accounting.h"
#include "cli/recording/recording_run.h"
#include "cli/recording/refusals.h"
#include "cli/symbols/live_profile.h"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace cli {

/** Profiles the targets in the options, and reads the counts at each refresh. */
class TopRecording : public TopFeed, private RecorderLog {
public:
	explicit TopRecording(const TargetOptions &options);

	/** Attach; the error says why nothing can be profiled. */
	Outcome start();
	/** Discard all counts so far. */
	void skip();

	void wait(double seconds, std::span<const int> descriptors) override;
	std::vector<Change> take() override;
	[[nodiscard]] const Profile &profile() const override { return live_->profile(); }
	[[nodiscard]] uint64_t edition() const override { return live_->edition(); }
	void zero() override;
	void set_detail(Detail detail) override { live_->set_detail(detail); }
	[[nodiscard]] bool over() override { return profiler_.over(); }
	[[nodiscard]] bool is_file() const override { return false; }
	[[nodiscard]] ToldApart told_apart() const override
	{
		return options_.per_process ? ToldApart::Processes : TopFeed::told_apart();
	}
	[[nodiscard]] std::vector<std::string> notices() const override;

private:
	void refused(pid_t pid, const std::string &process, const std::string &why) override;
	void warn(const std::string &text) override;
	void describe(const Recording &part);

	TargetOptions options_;
	Refusals refusals_;
	std::deque<std::string> warnings_; /* the last few warnings */
	RecordingRun profiler_;
	std::optional<LiveProfile> live_; /* from start() on */
	Accounting accounting_;
	std::vector<EventAccount> events_; /* the losses of each event */
	Clock::time_point start_;
};

} // namespace cli
