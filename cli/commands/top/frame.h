// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/top/frame.h  The screen of profil top, as lines of text. */
#pragma once

#include "cli/commands/top/rows.h"

#include <cstddef>
#include <string>
#include <vector>

namespace cli {

/** A line of the screen; it has no escape sequences except the colours that painted() makes. */
struct ScreenLine {
	enum class Emphasis { None, Heading, Selected };

	std::string text;
	Emphasis emphasis = Emphasis::None;

	bool operator==(const ScreenLine &) const = default;
};

/** The whole screen, from its first line. */
using ScreenLines = std::vector<ScreenLine>;

struct ScreenSize {
	size_t width = 80;
	size_t height = 24;
};

/** Everything that profil top can show about a profile. */
struct TopPicture {
	const Profile &profile;
	const TopRows &rows;
	bool live = true; /**< samples still arrive: show the columns for the last refresh */
	TopOrder order = TopOrder::Samples;
	bool reversed = false;
	std::string state;		  /**< "paused", ...; may be empty */
	std::vector<std::string> notices; /**< see TopFeed::notices(); not safe to print */
	std::string bottom;		  /**< the last line; safe to print */
	std::string targets;		  /**< the targets; not safe to print */
};

/**
 * The table for a terminal of this size; it fits in width and in height.
 *
 * @param first the position of the first row shown, in the order of all rows.
 * @param selected the position of the selected row, in the same order.
 */
ScreenLines top_screen(const TopPicture &picture, ScreenSize size, size_t first, size_t selected, bool color);

/** The number of rows that fit on a screen of this size. */
size_t top_screen_rows(const TopPicture &picture, ScreenSize size);

/**
 * The table as text.
 * @param width the width of the terminal; 0: unlimited.  @param limit the most rows.
 */
std::string top_text(const TopPicture &picture, size_t width, size_t limit, bool color);

} // namespace cli
