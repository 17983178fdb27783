// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/top/feed.h  The source of profil top's samples. */
#pragma once

#include "cli/profile/location.h"
#include "cli/profile/profile.h"
#include "cli/symbols/live_profile.h"
#include "cli/symbols/symbols.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cli {

/** A profile, and the samples that arrive for it. */
class TopFeed {
public:
	virtual ~TopFeed() = default;

	/** Wait @p seconds, or until one of @p descriptors is readable; may return earlier. */
	virtual void wait(double seconds, std::span<const int> descriptors) = 0;
	/** Add the new samples to the profile; returns the changes. */
	virtual std::vector<Change> take() = 0;
	/** The samples so far; the profile's comments hold an About. */
	[[nodiscard]] virtual const Profile &profile() const = 0;
	/** See LiveProfile::edition(). */
	[[nodiscard]] virtual uint64_t edition() const = 0;
	/** Start again with an empty profile. */
	virtual void zero() = 0;
	/** Set the detail with which places are looked up from now on. */
	virtual void set_detail(Detail detail) = 0;
	/** True if no more samples will arrive. */
	[[nodiscard]] virtual bool over() = 0;
	/** True for a file, to which no samples are ever added. */
	[[nodiscard]] virtual bool is_file() const = 0;
	/** The owners that the profile distinguishes, or will distinguish once it has samples. */
	[[nodiscard]] virtual ToldApart told_apart() const { return cli::told_apart(profile()); }
	/** The targets that could not be profiled and why, one line each; not safe to print. */
	[[nodiscard]] virtual std::vector<std::string> notices() const = 0;
};

} // namespace cli
