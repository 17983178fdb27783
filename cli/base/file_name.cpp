// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/file_name.h"

#include <array>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

namespace cli {
namespace {

std::string time_text(int64_t seconds)
{
	const auto time = static_cast<time_t>(seconds);
	std::tm utc = {};

	gmtime_r(&time, &utc);
	return fmt::format("{:%Y%m%dT%H%M%SZ}", utc);
}

/** Replaces each %X with act('X'), and a % at the end of @p pattern with act('\0'). */
template <typename Act> std::string replaced(const std::string &pattern, Act act)
{
	std::string name;

	for (size_t i = 0; i < pattern.size(); i++) {
		if (pattern[i] != '%')
			name += pattern[i];
		else
			name += act(++i < pattern.size() ? pattern[i] : '\0');
	}
	return name;
}

} // namespace

std::string expand_name(const std::string &pattern, const NameParts &parts)
{
	return replaced(pattern, [&](char letter) -> std::string {
		switch (letter) {
		case 'p': return std::to_string(parts.pid);
		case 't': return time_text(parts.time);
		case 'h': return parts.host;
		default: return "%";
		}
	});
}

std::string why_no_pattern(const std::string &pattern)
{
	std::string why;

	replaced(pattern, [&](char letter) -> std::string {
		if (letter != 'p' && letter != 't' && letter != 'h' && letter != '%')
			why = fmt::format("'{}' has an unknown percent sequence (use %p, %t, %h or %%)",
					  pattern);
		return "";
	});
	return why;
}

bool tells_time(const std::string &pattern)
{
	bool told = false;

	replaced(pattern, [&](char letter) -> std::string {
		told = told || letter == 't';
		return "";
	});
	return told;
}

std::string host_name()
{
	std::array<char, 256> name = {};

	return gethostname(name.data(), name.size() - 1) ? "localhost" : name.data();
}

} // namespace cli
