// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/profile/shared_counter.h  Names for places that are known only as a range of text. */
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cli {

/**
 * The name of a counter that several functions share: "libc.so.6+0x1000..0x2000 (11 functions)".
 * Which of them was sampled is not known, so every output has this name for the function.
 * @param object path or name.
 */
std::string shared_counter_name(std::string_view object, uint64_t low, uint64_t high, uint64_t functions);

/**
 * How many functions share the counter that has this name; nothing for names of functions.
 * A program can give a function such a name, and gains nothing by it.
 */
std::optional<uint64_t> functions_sharing(std::string_view name);

/** The part of such a name that says how many functions share it: " (11 functions)"; else empty. */
std::string_view sharing_mark(std::string_view name);

} // namespace cli
