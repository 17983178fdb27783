// SPDX-License-Identifier: GPL-2.0-or-later
/** @file html_function.h  An annotated function as a page has it. */
#pragma once

#include "cli/annotation.h"
#include "cli/html_limits.h"
#include "cli/source_files.h"

#include <nlohmann/json.hpp>

namespace cli {

/** Its lines and instructions that have samples, with what is near to them, within the limits. */
nlohmann::ordered_json html_function(const Annotation &annotation, SourceFiles &sources,
				     const HtmlOptions &options, const HtmlLimits &limits);

} // namespace cli
