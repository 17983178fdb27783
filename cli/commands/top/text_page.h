// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/top/text_page.h  A text that fills the screen and scrolls. */
#pragma once

#include "cli/commands/top/frame.h"
#include "cli/commands/top/keys.h"

#include <functional>
#include <string>
#include <vector>

namespace cli {

class TextPage {
public:
	/** Makes lines that fit a width; they are safe to print, with the colours of painted(). */
	using Text = std::function<std::string(size_t width, bool color)>;

	TextPage(std::string title, Text text) : title_(std::move(title)), text_(std::move(text)) {}

	/** Scroll; false if the action does not scroll. */
	bool act(TopAction action);
	/** The part of the text that fits on the screen; @p bottom is the last line. */
	ScreenLines frame(ScreenSize size, bool color, const std::string &bottom);

private:
	[[nodiscard]] size_t last() const;

	std::string title_;
	Text text_;
	ScreenSize size_;
	size_t first_ = 0;		 /* line at the top of the screen */
	std::vector<std::string> lines_; /* the text, for the width of size_ */
};

} // namespace cli
