// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/profile/perf_script_line.h  The lines that perf script prints. */
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cli {

/** The first line of a record: "comm pid/tid [cpu] seconds: period event: place". */
struct PerfHead {
	std::string_view command;
	std::optional<int64_t> pid; /**< nullopt if perf printed only the thread's ID */
	double time = 0;	    /**< in seconds */
	int64_t period = 1;
	std::string_view event;
	std::string_view rest; /**< the only place, if there are no call stacks */
};

/** A function of a stack: "ip symbol+offset (dso)". */
struct PerfPlace {
	uint64_t address = 0;
	std::string_view symbol; /**< empty: unknown */
	std::string_view object; /**< likewise */
	bool inlined = false;	 /**< inlined in the function of the next place */
};

/** True if a character is white space within a line. */
inline bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/** The text without blanks at its ends. */
std::string_view without_blanks(std::string_view text);

/** Take a line, without its end, from the beginning of @p text. */
std::string_view take_line(std::string_view &text);

/** Parse the first line of a record; nullopt for any other line. */
std::optional<PerfHead> perf_head(std::string_view line);

/** Parse a line of a stack, or the rest of a first line; nullopt for anything else. */
std::optional<PerfPlace> perf_place(std::string_view line);

} // namespace cli
