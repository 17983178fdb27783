// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * @file cli/profile/about.h
 * Facts about a recording that pprof's own fields do not cover.
 *
 * They are stored as comments of the profile, each "profil.KEY: VALUE".  The pprof
 * tools keep comments, and `go tool pprof -comments` shows them.  Causes without
 * ticks are left out.
 */
#pragma once

#include "cli/profile/accounting.h"
#include "cli/profile/event_account.h"
#include "cli/profile/profile.h"
#include "cli/profile/thread_total.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

struct About {
	std::string version;
	std::vector<std::string> targets; /**< "python3 (pid 4711)", or a command */
	uint64_t processes = 0;
	Accounting accounting;
	/** Paths of objects whose line numbers have yet to be read from their files. */
	std::vector<std::string> lines_later;
	/** With --per-thread: each thread's samples, the thread with the most first. */
	std::vector<ThreadTotal> threads = {};
	/** Length of a slice of time, see slice_label; 0: no slices, or merged files differ in it. */
	uint64_t slice_ms = 0;
	/** The events that were sampled, with their losses. */
	std::vector<EventAccount> events = {};
	/** "perf": perf's events were sampled, without the module; empty: the module counted. */
	std::string sampler = {};

	bool operator==(const About &) const = default;
};

std::vector<std::string> to_comments(const About &about);

/** Missing keys leave their members empty; profiles of other tools have no keys. */
About from_comments(const std::vector<std::string> &comments);

/** True if a comment is one of to_comments(). */
bool is_about(std::string_view comment);

/** Merge several recordings: all targets, sums of counts, and values that all of them share. */
About merge_abouts(std::span<const About> abouts);

/**
 * Up to three of About::targets, for a profile's title.  If these are not the programs with
 * samples, the text has up to three of the programs or processes with the most samples instead.
 * The number of those left out follows, and if necessary the number of processes.  Not safe to
 * print: names may contain control characters.
 */
std::string targets_text(const About &about, const Profile &profile);

/** "999 Hz"; empty if the profile has no rate. */
std::string profile_rate_text(const Profile &profile);

/** True if the period of the profile is a number of events, and not a time. */
bool has_period_of_events(const Profile &profile);

/** The account of all ticks of a profile: accounting_lines() and event_lines(). */
std::vector<std::string> profile_accounting_lines(const Profile &profile);

/** The losses of the events: event_account_lines(). */
std::vector<std::string> event_lines(const About &about);

/** "1.50 s"; empty if the profile has no duration. */
std::string profile_duration_text(const Profile &profile);

} // namespace cli
