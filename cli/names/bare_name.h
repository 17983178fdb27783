// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/names/bare_name.h  Removes parameters and other parts from demangled names. */
#pragma once

#include <string_view>

namespace cli {

/**
 * Returns "deep::sum<long>" for "long deep::sum<long>(std::vector<long> const&)".
 * Also removes the return type that demanglers put before a template.  A name
 * without parameters is returned unchanged.
 */
std::string_view without_parameters(std::string_view name);

/** The position of the bracket that closes the one at @p open, or npos. */
size_t closing_bracket(std::string_view name, size_t open);

/** The position of the last @p wanted outside all brackets, or npos. */
size_t last_outside(std::string_view name, char wanted);

/** The length of an operator's name at @p at, such as 9 for "operator<"; 0 if none begins there. */
size_t operator_length(std::string_view name, size_t at);

/** Returns "deep::sum" for "deep::sum<long>": removes only arguments at the end, not those of a class. */
std::string_view without_template_arguments(std::string_view name);

/** Returns "sum<long>" for "deep::sum<long>": the part after the last "::". */
std::string_view unqualified(std::string_view bare_name);

} // namespace cli
