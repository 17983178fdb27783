// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/profile/location.h  A location's names, for reports. */
#pragma once

#include "cli/profile/profile.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** The label with a sample's time slice: its start, in ms from the start of the recording. */
inline constexpr char slice_label[] = "slice";

/** The object of a location outside all mappings, and the function of a sample without a location. */
inline constexpr std::string_view unknown_name = "[unknown]";

/** The path of the object, "[vdso]", or "[unknown]" if the object is unknown or has no name. */
std::string_view object_of(const Profile &profile, const Location &location);

/** The demangled name, or else the linker's name; empty if it has neither. */
std::string_view name_of(const Function &function);

/** The name of the symbol at @p location, not of a function inlined there; empty if unknown. */
std::string_view symbol_of(const Profile &profile, const Location &location);

/** The name of a location without a symbol: "object+0x123"; without an object, just the address. */
std::string nameless(const Profile &profile, const Location &location);

/** symbol_of() the location, or else nameless(). */
std::string function_of(const Profile &profile, const Location &location);

/** For each location, by index, the number of samples with that leaf; sums saturate. */
std::vector<uint64_t> samples_by_location(const Profile &profile);

/** The process that a sample was taken in, from its labels. */
struct ProcessName {
	std::string_view command; /**< empty if unknown */
	std::optional<int64_t> pid;
};

ProcessName process_of(const Sample &sample);

/** The time slice of a sample, see slice_label; nullopt if it has none. */
std::optional<int64_t> slice_of(const Sample &sample);

/** The owners of samples that a profile's labels distinguish. */
enum class ToldApart {
	Nothing,
	Commands,  /**< programs, by their command names */
	Processes, /**< by PID */
};

ToldApart told_apart(const Profile &profile);

} // namespace cli
