// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/color.h  A little colour for terminals. */
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cli {

enum class ColorWhen { Auto, Always, Never };

/** "auto", "always" or "never". */
std::optional<ColorWhen> color_when(std::string_view text);

/**
 * Is a descriptor's output to have colours?  Auto: if it is a terminal, TERM is
 * set and not dumb, and NO_COLOR (https://no-color.org) is not set, or empty.
 */
bool wants_color(ColorWhen when, int fd);

enum class Paint {
	Plain,
	Dim,
	Low,	 /**< green */
	Some,	 /**< yellow */
	High,	 /**< red */
	Heading, /**< bold */
	Source,	 /**< cyan */
};

/** @p text between the escape sequences of @p paint (ECMA-48, SGR), if @p enabled and there is any. */
std::string painted(std::string_view text, Paint paint, bool enabled);

/**
 * Red from 5 % on and green from 0.5 % on, as in perf's annotate; yellow
 * between them from 1 % on.
 */
Paint heat(double percent);

} // namespace cli
