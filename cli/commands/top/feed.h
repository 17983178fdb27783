// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/top/feed.h  Where profil top has its samples from. */
#pragma once

#include "cli/profile/profile.h"
#include "cli/symbols/live_profile.h"
#include "cli/symbols/symbols.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cli {

/** A profile to which samples come. */
class TopFeed {
public:
	virtual ~TopFeed() = default;

	/** Wait so many seconds, or until one of some descriptors is readable, or for less. */
	virtual void wait(double seconds, std::span<const int> descriptors) = 0;
	/** Add to the profile what has come; where it was added. */
	virtual std::vector<Change> take() = 0;
	/** What came so far; its comments are those of About. */
	[[nodiscard]] virtual const Profile &profile() const = 0;
	/** As LiveProfile::edition(). */
	[[nodiscard]] virtual uint64_t edition() const = 0;
	/** Begin anew, with a profile in which nothing is counted. */
	virtual void zero() = 0;
	/** What is to be known of places. */
	virtual void set_detail(Detail detail) = 0;
	/** Does nothing come any more? */
	[[nodiscard]] virtual bool over() = 0;
	/** Can nothing ever come? */
	[[nodiscard]] virtual bool is_file() const = 0;
	/** Are processes told apart? */
	[[nodiscard]] virtual bool per_process() const = 0;
	/** What could not be profiled, and why, a line each; not safe to print. */
	[[nodiscard]] virtual std::vector<std::string> notices() const = 0;
};

} // namespace cli
