// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/support/told_feed.h  Samples for profil top that arrive when a test says so. */
#pragma once

#include "cli/commands/top/feed.h"
#include "cli/objects/owners.h"
#include "cli/objects/tally.h"
#include "cli/profile/about.h"
#include "cli/profile/accounting.h"
#include "cli/profile/event_account.h"
#include "cli/profile/sample_source.h"
#include "cli/recording/recorded_profile.h"
#include "cli/symbols/live_profile.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace told_feed {

/** A feed whose samples arrive when a test calls come(). */
class Feed : public cli::TopFeed {
public:
	explicit Feed(cli::LiveLimits limits = {}) : live_(1001001, limits) {}
	/** A feed with several events. */
	explicit Feed(std::vector<cli::SampleSource> sources, cli::LiveLimits limits = {})
		: sources_(std::move(sources)), live_(sources_, limits)
	{
	}

	/** Adds samples for the next refresh. */
	void come(const std::shared_ptr<cli::Object> &object, uint64_t address, uint64_t samples,
		  uint32_t owner = 0, uint32_t source = 0)
	{
		part_.add(object, {address, owner, source}, samples);
		accounting_.ticks += samples;
		accounting_.counted += samples;
	}
	/** Sets each event's account for the time up to the next refresh. */
	void account(std::vector<cli::EventAccount> events)
	{
		part_events_ = std::move(events);
		cli::add_events(events_, part_events_);
	}
	/** Adds ticks without a sample. */
	void lose(uint64_t ticks)
	{
		accounting_.ticks += ticks;
		accounting_.lost_late += ticks;
	}
	/** Adds all samples of a tally. */
	void come(const cli::Tally &part)
	{
		part_.add(part);
		accounting_.ticks += part.total();
		accounting_.counted += part.total();
	}
	uint32_t owner(pid_t pid, const std::string &name) { return owners_.number(pid, name); }

	void wait(double, std::span<const int>) override {}
	std::vector<cli::Change> take() override
	{
		live_.profile().comments =
			cli::to_comments({"",
					  {"program (pid 4711)"},
					  1,
					  accounting_,
					  {},
					  {},
					  0,
					  cli::event_accounts(cli::accounted_sources(sources_, events_))});
		live_.profile().duration_nanos = 1500000000;
		return live_.add(std::exchange(part_, {}), owners_, std::exchange(part_events_, {}));
	}
	[[nodiscard]] const cli::Profile &profile() const override { return live_.profile(); }
	[[nodiscard]] uint64_t edition() const override { return live_.edition(); }
	void zero() override
	{
		part_ = {};
		accounting_ = {};
		events_.clear();
		live_.zero();
	}
	void set_detail(cli::Detail detail) override { live_.set_detail(detail); }
	[[nodiscard]] bool over() override { return is_over; }
	[[nodiscard]] bool is_file() const override { return false; }
	[[nodiscard]] std::vector<std::string> notices() const override { return said; }

	bool is_over = false;
	std::vector<std::string> said;

private:
	std::vector<cli::SampleSource> sources_;
	cli::LiveProfile live_;
	std::vector<cli::EventAccount> part_events_;
	std::vector<cli::EventAccount> events_;
	cli::Tally part_;
	cli::Owners owners_;
	cli::Accounting accounting_;
};

} // namespace told_feed
