// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/annotation/style.h  What to show of an annotated function, and how. */
#pragma once

#include <cstddef>

namespace cli {

/** How an annotated function is shown. */
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

} // namespace cli
