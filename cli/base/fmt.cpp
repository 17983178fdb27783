// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libfmt's functions, compiled into the program: see CLI_LIBS in cli/build.mk.  Only this file uses
 * the header-only variant, so nothing may include the header before FMT_HEADER_ONLY is defined.
 */
#define FMT_HEADER_ONLY 1
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <string>

namespace {

/* All formatting functions of fmt/format.h call this function in the end. */
[[gnu::used]] std::string (*const format)(fmt::string_view, fmt::format_args) = fmt::vformat;

/* fmt/chrono.h needs the functions that this one calls. */
[[gnu::used]] std::string year(const std::tm &time)
{
	return fmt::format("{:%Y}", time);
}

} // namespace
