// SPDX-License-Identifier: GPL-2.0-or-later
/** @file annotation_text.h  An annotated function as a terminal shows it. */
#pragma once

#include "cli/annotation.h"
#include "cli/source_files.h"

#include <cstddef>
#include <string>

namespace cli {

/** What to show of it, and how. */
struct AnnotationStyle {
	size_t width = 0; /**< columns; 0: as many as it takes */
	bool color = false;
	bool source = true;	  /**< the text of source lines */
	bool instructions = true; /**< without: lines alone, with their samples */
	bool raw = false;	  /**< the bytes of instructions */
	bool summary = false;	  /**< first, the lines with most samples */
	bool full_paths = false;
	size_t most_parts = 3; /**< pieces of code that are shown */
};

/**
 * The hottest loop first, then what is before and behind it; what is on no
 * instruction; and the sum.  Where there are no instructions, or where the
 * function is inlined, also its samples by line.
 */
std::string annotation_text(const Annotation &annotation, SourceFiles &sources, const AnnotationStyle &style);

} // namespace cli
