// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/annotation/bare_name.h  Strips demangled names of parameters and other parts. */
#pragma once

#include <string_view>

namespace cli {

/**
 * Returns "deep::sum<long>" for "long deep::sum<long>(std::vector<long> const&)".
 * Also removes the return type that demanglers put before a template.  A name
 * without parameters is returned unchanged.
 */
std::string_view without_parameters(std::string_view name);

/** Returns "deep::sum" for "deep::sum<long>": removes only arguments at the end, not those of a class. */
std::string_view without_template_arguments(std::string_view name);

} // namespace cli
