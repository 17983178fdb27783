// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/annotation/source_listing.h  The source lines of an annotated function, file by file. */
#pragma once

#include "cli/annotation/annotation.h"
#include "cli/symbols/source_files.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cli {

struct ListedLine {
	int64_t number = 0;
	uint64_t samples = 0;
	std::vector<uint64_t> events; /**< as in Counts */
	std::string text; /**< with blanks for tabs; empty if it is not available.  Not safe to print. */
};

struct ListedFile {
	std::string file;
	uint64_t samples = 0;
	std::vector<ListedLine> lines; /**< in order of number, with gaps */
};

/**
 * The lines that have instructions or samples, file by file; the files with the most
 * samples come first, and files without samples are left out.
 * @param context the number of lines to add before and after each line, if the
 *        source is available.
 */
std::vector<ListedFile> source_listing(const Annotation &annotation, SourceFiles &sources,
				       int64_t context = 0);

/** The counts of code whose line is unknown. */
Counts counts_of_no_line(const Annotation &annotation);

} // namespace cli
