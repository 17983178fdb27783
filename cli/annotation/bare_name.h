// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/annotation/bare_name.h  Demangled names without what is around the name itself. */
#pragma once

#include <string_view>

namespace cli {

/**
 * "deep::sum<long>" of "long deep::sum<long>(std::vector<long> const&)": also
 * without the return type that demanglers put before a template.  What has no
 * parameters is returned as it is.
 */
std::string_view without_parameters(std::string_view name);

/** "deep::sum" of "deep::sum<long>": only arguments at the end go, not those of a class. */
std::string_view without_template_arguments(std::string_view name);

} // namespace cli
