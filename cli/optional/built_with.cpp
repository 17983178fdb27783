// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/optional/built_with.h"

#include <fmt/format.h>

namespace cli {
namespace {

std::string line(bool with, const char *what, const char *libraries)
{
	return fmt::format("  {} {}: {}\n", with ? "with   " : "without", libraries, what);
}

} // namespace

std::string built_with()
{
	return line(with_capstone, "instructions in annotate, top and report --html", "libcapstone") +
	       line(with_debuginfod, "debug information from the servers in DEBUGINFOD_URLS",
		    "libdebuginfod") +
	       line(with_http, "serve and push", "libcurl and libmicrohttpd");
}

} // namespace cli
