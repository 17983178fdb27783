// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/top/frame.h  What profil top shows, as lines of text. */
#pragma once

#include "cli/commands/top/rows.h"

#include <cstddef>
#include <string>
#include <vector>

namespace cli {

/** A line of the screen; its colours are escape sequences as painted() makes them, and nothing else is. */
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

/** What there is to be shown of a profile. */
struct TopPicture {
	const Profile &profile;
	const TopRows &rows;
	bool live = true; /**< does anything come, so that there is something to say of now? */
	TopOrder order = TopOrder::Samples;
	bool reversed = false;
	std::string state;		  /**< "paused", ...; empty: nothing to say */
	std::vector<std::string> notices; /**< what could not be profiled, and why; not safe to print */
	std::string bottom;		  /**< the last line; safe to print */
};

/**
 * The table where a terminal shows it; no line is wider than that, and there are
 * not more lines.
 *
 * @param first how many rows come before the first that is shown.
 * @param selected which of all rows, in their order, is selected.
 */
ScreenLines top_screen(const TopPicture &picture, ScreenSize size, size_t first, size_t selected, bool color);

/** Rows of the table on such a screen. */
size_t top_screen_rows(const TopPicture &picture, ScreenSize size);

/**
 * The table as text.
 * @param width of the terminal; 0: as much as it takes. @param limit most rows.
 */
std::string top_text(const TopPicture &picture, size_t width, size_t limit, bool color);

} // namespace cli
