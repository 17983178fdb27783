// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libfmt's functions, compiled into the program: see CLI_LIBS in cli/build.mk.  They are inline in
 * this file alone, which says so to the header before anything else does.
 */
#define FMT_HEADER_ONLY 1
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <string>

namespace {

/* All that fmt/format.h formats ends in this function. */
[[gnu::used]] std::string (*const format)(fmt::string_view, fmt::format_args) = fmt::vformat;

/* And fmt/chrono.h in these. */
[[gnu::used]] std::string year(const std::tm &time)
{
	return fmt::format("{:%Y}", time);
}

} // namespace
