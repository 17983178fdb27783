// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/color.h  Colours on a terminal. */
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cli {

enum class ColorWhen { Auto, Always, Never };

/** Parse "auto", "always" or "never"; nullopt for any other text. */
std::optional<ColorWhen> color_when(std::string_view text);

/**
 * True if output to @p fd should be coloured.  For Auto, that is if @p fd is a terminal, TERM is
 * set and not "dumb", and NO_COLOR (https://no-color.org) is unset or empty.
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

/** @p text, between the escape sequences of @p paint (ECMA-48, SGR) if @p enabled and not empty. */
std::string painted(std::string_view text, Paint paint, bool enabled);

/**
 * The colour for a percentage: red from 5 %, yellow from 1 %, green from 0.5 %.
 * The thresholds of red and green are those of perf annotate.
 */
Paint heat(double percent);

} // namespace cli
