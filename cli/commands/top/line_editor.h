// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/top/line_editor.h  A line that is typed at the bottom of the screen. */
#pragma once

#include "cli/commands/top/keys.h"

#include <string>

namespace cli {

class LineEditor {
public:
	enum class State { Editing, Done, Cancelled };

	explicit LineEditor(std::string prompt) : prompt_(std::move(prompt)) {}

	/** Enter ends the line, Escape cancels it, Ctrl-U empties it. */
	State press(Key key);
	/** The text typed so far: UTF-8, without control characters. */
	[[nodiscard]] const std::string &text() const { return text_; }
	/** Show why the text is not accepted, until a key is pressed. */
	void complain(std::string why) { complaint_ = std::move(why); }
	/** Prompt, text, and complaint. */
	[[nodiscard]] std::string line() const;

private:
	static constexpr size_t most_bytes = 1000;

	std::string prompt_;
	std::string text_;
	std::string complaint_;
};

} // namespace cli
