// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/annotation/text.h  An annotated function as a terminal shows it. */
#pragma once

#include "cli/annotation/annotation.h"
#include "cli/annotation/style.h"
#include "cli/symbols/source_files.h"

#include <string>

namespace cli {

/**
 * The hottest loop first, then what is before and behind it; what is on no
 * instruction; and the sum.  Where there are no instructions, or where the
 * function is inlined, also its samples by line.
 */
std::string annotation_text(const Annotation &annotation, SourceFiles &sources, const AnnotationStyle &style);

} // namespace cli
