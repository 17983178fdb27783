// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/report/page/template.h  The page before a report is put into it. */
#pragma once

#include <string>
#include <string_view>

namespace cli {

/** The page, which is linked into this program; a mark shows where the document belongs. */
std::string_view html_template();

/**
 * The page with a document in it.
 * @param json a JSON document in UTF-8.  It is escaped, so that it cannot contain
 *        markup; its meaning stays the same.
 */
std::string html_page(std::string_view json);

} // namespace cli
