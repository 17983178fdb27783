// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/support/frames.h  Parsing the output of profil top --batch. */
#pragma once

#include "tests/support/recorded.h"

#include <regex>
#include <sstream>

namespace support {

/** The number at the start of each line that matches a pattern, without commas. */
inline std::vector<uint64_t> numbers_before(const std::string &text, const std::string &pattern)
{
	std::vector<uint64_t> numbers;
	std::istringstream lines(text);

	for (std::string line; std::getline(lines, line);) {
		if (!std::regex_search(line, std::regex(pattern)))
			continue;
		std::erase(line, ',');
		numbers.push_back(std::stoull(line));
	}
	return numbers;
}

inline size_t count(const std::string &text, const std::string &part)
{
	size_t found = 0;

	for (size_t at = 0; (at = text.find(part, at)) != text.npos; at++)
		found++;
	return found;
}

} // namespace support
