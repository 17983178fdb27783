// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/shared_text.h  Text and what keeps it alive: a string or a mapped file. */
#pragma once

#include "cli/base/result.h"

#include <memory>
#include <string>
#include <string_view>

namespace cli {

/** Text in memory that all copies of this structure share. */
struct SharedText {
	std::string_view text;
	std::shared_ptr<const void> keeper; /**< owns the memory of the text */
};

SharedText share_text(std::string text);

/**
 * Map a file, so that only the pages that are used are read.
 *
 * If the file is truncated while it is mapped, reading beyond its new end raises SIGBUS.  So use
 * this only for files that are always replaced as a whole.
 * @return the text, or an error that names the file.  For an empty file, keeper is null.
 */
Result<SharedText> map_text(const std::string &path);

} // namespace cli
