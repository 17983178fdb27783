// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/profile/event_account.h  What became of an event while it was recorded. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** An event of any process, on all CPUs together, as the module's fdinfo has it (profil(4)). */
struct EventAccount {
	std::string name;
	uint64_t period = 0;	 /**< events between two samples; 0: not known */
	uint64_t missed = 0;	 /**< ticks that came while the module was at work on their CPU */
	uint64_t throttled = 0;	 /**< times that perf has stopped it until the kernel's next tick */
	uint64_t enabled_ns = 0; /**< how long it was to be counted */
	uint64_t running_ns = 0; /**< how long it was: less, if more is wanted than there are counters */

	/** What has come since an @p earlier account of the same event. */
	[[nodiscard]] EventAccount since(const EventAccount &earlier) const;
	/** Add another recording's; the longest period stays.  Sums saturate: files can hold any number. */
	void add(const EventAccount &other);

	/** Was it not counted all the time? */
	[[nodiscard]] bool is_shared() const { return running_ns < enabled_ns; }
	/** Has it lost anything, or is it an estimate? */
	[[nodiscard]] bool is_whole() const { return !missed && !throttled && !is_shared(); }
	/** A number of events as it would be, had it been counted all the time (as in perf stat). */
	[[nodiscard]] uint64_t scaled(uint64_t counted) const;

	bool operator==(const EventAccount &) const = default;
};

/** Lines that say what was lost, and what to do; empty if it is whole. */
std::vector<std::string> event_account_lines(const EventAccount &account);
/** The same in a few words each: "counted 66.67 % of the time", "stopped 2 times", "3 ticks missed". */
std::vector<std::string> event_losses(const EventAccount &account);

/** Add those of several sources, in their order, from the number @p first on. */
void add_events(std::vector<EventAccount> &sums, const std::vector<EventAccount> &events, size_t first = 0);

/** "10007 3 0 1000 500 cycles", for a comment of a profile. */
std::string to_text(const EventAccount &account);
/** The same; nothing if it is not that. */
std::optional<EventAccount> parse_event_account(std::string_view text);

/** Set the member that a line of fdinfo names ("event_missed").  @return false for any other line. */
bool set_event_field(EventAccount &account, std::string_view name, std::string_view value);

/** The first event that a fdinfo of the module describes, if there is one. */
std::optional<EventAccount> event_account_of_fdinfo(std::string_view fdinfo);

} // namespace cli
