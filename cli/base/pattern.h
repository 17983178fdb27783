// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/pattern.h  A POSIX extended regular expression, as in grep -E. */
#pragma once

#include "cli/base/result.h"

#include <memory>
#include <regex.h>
#include <string>
#include <string_view>

namespace cli {

/**
 * A regular expression, compiled once by regcomp(3).
 *
 * std::regex is unsuitable: it recurses for each character of the subject, and
 * names in a profile from another tool can be of any length.
 */
class Pattern {
public:
	/** The error says what is wrong with @p text. */
	static Result<Pattern> compile(const std::string &text);

	/** True if the expression matches anywhere in @p subject. */
	[[nodiscard]] bool found_in(std::string_view subject) const;

private:
	struct Free {
		void operator()(regex_t *regex) const
		{
			regfree(regex);
			delete regex;
		}
	};

	explicit Pattern(std::unique_ptr<regex_t, Free> regex) : regex_(std::move(regex)) {}

	std::unique_ptr<regex_t, Free> regex_;
};

} // namespace cli
