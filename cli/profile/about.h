// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * @file cli/profile/about.h
 * What a recording says about itself, beyond pprof's own fields.
 *
 * Written as comments of the profile, "profil.KEY: VALUE" each, which every
 * tool of that family keeps and `go tool pprof -comments` shows.  Causes without
 * ticks are left out.
 */
#pragma once

#include "cli/profile/accounting.h"
#include "cli/profile/profile.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

struct About {
	std::string version;
	std::vector<std::string> targets; /**< "python3 (pid 4711)", or a command */
	std::string granularity;
	uint64_t processes = 0;
	Accounting accounting;
	/** Paths of objects whose lines are still to be read from their files. */
	std::vector<std::string> lines_later;

	bool operator==(const About &) const = default;
};

std::vector<std::string> to_comments(const About &about);

/** What is missing stays empty: other tools' profiles have none of it. */
About from_comments(const std::vector<std::string> &comments);

/** Is a comment one of to_comments()? */
bool is_about(std::string_view comment);

/** Of several recordings as one: all targets, sums, and what all of them agree on. */
About merge_abouts(std::span<const About> abouts);

/** "python3 (pid 4711)" and up to two more; how many more.  Not safe to print. */
std::string targets_text(const About &about);

/**
 * How many bytes of text shared a counter, at most: 1 where every address has
 * its own, as in other tools' profiles.
 */
uint64_t shared_bytes(const About &about);

/** "999 Hz"; empty if the profile does not tell. */
std::string profile_rate_text(const Profile &profile);

/** "1.50 s"; empty if the profile does not tell. */
std::string profile_duration_text(const Profile &profile);

} // namespace cli
