// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/profile/nameless_code.h"

#include <fmt/format.h>

namespace cli {
namespace {

constexpr std::string_view begin = "[anon";
constexpr std::string_view end = "] (no names)";

} // namespace

std::string nameless_code_name(pid_t pid)
{
	return pid ? fmt::format("{}:{}{}", begin, pid, end) : fmt::format("{}{}", begin, end);
}

bool is_nameless_code(std::string_view name)
{
	return name.starts_with(begin) && name.ends_with(end);
}

} // namespace cli
