// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/profile/event_account.h  Accounts for the losses of an event. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** The account of an event over all processes and CPUs, as in the module's fdinfo (profil(4)). */
struct EventAccount {
	std::string name;
	uint64_t period = 0;	 /**< events between two samples; 0: not known */
	uint64_t missed = 0;	 /**< ticks that came while the module was busy on that CPU */
	uint64_t throttled = 0;	 /**< the number of times that perf throttled the event */
	uint64_t enabled_ns = 0; /**< time in which the event was to be counted */
	uint64_t running_ns = 0; /**< time in which it was counted: less if counters were short */

	/** The difference from an @p earlier account of the same event. */
	[[nodiscard]] EventAccount since(const EventAccount &earlier) const;
	/** Add another account; keep the longer period.  Sums saturate: files may lie. */
	void add(const EventAccount &other);

	/** True if the event was counted only part of the time. */
	[[nodiscard]] bool is_shared() const { return running_ns < enabled_ns; }
	/** True if nothing was lost, and the count is not an estimate. */
	[[nodiscard]] bool is_whole() const { return !missed && !throttled && !is_shared(); }
	/** Scale a number of events up to the whole enabled time, as perf stat does. */
	[[nodiscard]] uint64_t scaled(uint64_t counted) const;

	bool operator==(const EventAccount &) const = default;
};

/** Lines that say what was lost, and what to do about it; none if the account is whole. */
std::vector<std::string> event_account_lines(const EventAccount &account);
/** The same in a few words each: "counted 66.67 % of the time", "stopped 2 times", "3 ticks missed". */
std::vector<std::string> event_losses(const EventAccount &account);

/** Add the accounts of several sources to @p sums, in their order, from index @p first on. */
void add_events(std::vector<EventAccount> &sums, const std::vector<EventAccount> &events, size_t first = 0);

/** "10007 3 0 1000 500 cycles", for a comment of a profile. */
std::string to_text(const EventAccount &account);
/** Parse a text from to_text(); nullopt for any other text. */
std::optional<EventAccount> parse_event_account(std::string_view text);

/** Set the member that a line of fdinfo names ("event_missed").  @return false for any other line. */
bool set_event_field(EventAccount &account, std::string_view name, std::string_view value);

/** The first event that the module's fdinfo describes, if any. */
std::optional<EventAccount> event_account_of_fdinfo(std::string_view fdinfo);

} // namespace cli
