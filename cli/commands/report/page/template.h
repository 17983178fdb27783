// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/report/page/template.h  The page for a report: this folder as one file. */
#pragma once

#include <string>
#include <string_view>

namespace cli {

/** The page, with a mark where the document goes; it is linked into this program. */
std::string_view html_template();

/**
 * The page with a document in it.
 * @param json a JSON document in UTF-8.  It is escaped: its meaning is the same,
 *        but it contains no markup, whatever is in it.
 */
std::string html_page(std::string_view json);

} // namespace cli
