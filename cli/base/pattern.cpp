// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/pattern.h"

#include <array>
#include <fmt/format.h>
#include <new>

namespace cli {

Result<Pattern> Pattern::compile(const std::string &text)
{
	auto raw = std::make_unique<regex_t>();
	const int error = regcomp(raw.get(), text.c_str(), REG_EXTENDED | REG_NOSUB);

	/* If regcomp() fails, regfree() must not be called. */
	if (error) {
		std::array<char, 128> words = {};

		regerror(error, raw.get(), words.data(), words.size());
		return Error{fmt::format("'{}' is not a regular expression: {}", text, words.data())};
	}
	return Pattern(std::unique_ptr<regex_t, Free>(raw.release()));
}

bool Pattern::found_in(std::string_view subject) const
{
	/* Pass the length, because names may contain NULs. */
	regmatch_t range = {0, static_cast<regoff_t>(subject.size())};
	const int error =
		regexec(regex_.get(), subject.data() ? subject.data() : "", 1, &range, REG_STARTEND);

	if (error == REG_ESPACE)
		throw std::bad_alloc();
	return !error;
}

} // namespace cli
