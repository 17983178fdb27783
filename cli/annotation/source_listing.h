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
	std::string text; /**< with blanks for tabs; empty if it is not to be had.  Not safe to print. */
};

struct ListedFile {
	std::string file;
	uint64_t samples = 0;
	std::vector<ListedLine> lines; /**< by number; some may be missing between two */
};

/**
 * The lines that have instructions or samples, each file by itself, those with
 * most samples first; files without samples are left out.
 * @param context lines to show around each of them, where the source is to be had.
 */
std::vector<ListedFile> source_listing(const Annotation &annotation, SourceFiles &sources,
				       int64_t context = 0);

/** Samples that are on no line, as far as anybody knows. */
uint64_t samples_of_no_line(const Annotation &annotation);

} // namespace cli
