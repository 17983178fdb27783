// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/profile/location.h  Where a sample was, in the words of a report. */
#pragma once

#include "cli/profile/profile.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** Object of what is in no mapping, and function of what is at no location. */
inline constexpr std::string_view unknown_name = "[unknown]";

/** Path of the object, "[vdso]"; "[unknown]" where none is known, or it has no name. */
std::string_view object_of(const Profile &profile, const Location &location);

/** Demangled, or else as the linker has it; empty without a name. */
std::string_view name_of(const Function &function);

/** The function that has a symbol, those inlined in it being none; empty without a name. */
std::string_view symbol_of(const Profile &profile, const Location &location);

/** What to call a place without a symbol: "object+0x123", or the address alone without an object. */
std::string nameless(const Profile &profile, const Location &location);

/** symbol_of() a place, or else its nameless(). */
std::string function_of(const Profile &profile, const Location &location);

/** How many samples have each location, by its index, as their leaf; sums saturate. */
std::vector<uint64_t> samples_by_location(const Profile &profile);

/** The process that a sample was taken in, as its labels have it. */
struct ProcessName {
	std::string_view command; /**< empty: not known */
	std::optional<int64_t> pid;
};

ProcessName process_of(const Sample &sample);

} // namespace cli
