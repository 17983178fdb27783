// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/annotation/text.h  Renders an annotated function as text. */
#pragma once

#include "cli/annotation/annotation.h"
#include "cli/annotation/style.h"
#include "cli/symbols/source_files.h"

#include <string>

namespace cli {

/**
 * Shows the hottest loop first, then the code before and after it, samples without
 * an instruction, and the sum.  It leaves out instructions of long code that are far from
 * samples, and says how many.  If there are no instructions, or if the function
 * is inlined somewhere, it begins with the samples by line.
 */
std::string annotation_text(const Annotation &annotation, SourceFiles &sources, const AnnotationStyle &style);

} // namespace cli
