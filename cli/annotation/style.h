// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/annotation/style.h  How to show an annotated function. */
#pragma once

#include "cli/names/shown_names.h"

#include <cstddef>

namespace cli {

/** How an annotated function is shown. */
struct AnnotationStyle {
	size_t width = 0; /**< columns; 0: no limit */
	bool color = false;
	bool source = true;	  /**< show the text of source lines */
	bool instructions = true; /**< if false, show only source lines with their samples */
	bool raw = false;	  /**< show the bytes of instructions */
	bool summary = false;	  /**< begin with the lines with the most samples */
	bool full_paths = false;
	NameLength names = NameLength::Short;
	size_t most_parts = 3; /**< the most pieces of code to show */
};

} // namespace cli
