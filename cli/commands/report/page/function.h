// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/report/page/function.h  An annotated function for a page. */
#pragma once

#include "cli/annotation/annotation.h"
#include "cli/commands/report/page/limits.h"
#include "cli/symbols/source_files.h"

#include <nlohmann/json.hpp>

namespace cli {

/** A function's lines and instructions that have, or are near, samples, within the limits. */
nlohmann::ordered_json html_function(const Annotation &annotation, SourceFiles &sources,
				     const HtmlOptions &options, const HtmlLimits &limits);

} // namespace cli
