// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/top/screen.h  A terminal on which ncurses draws. */
#pragma once

#include "cli/base/result.h"
#include "cli/base/stop_signals.h"
#include "cli/commands/top/frame.h"
#include "cli/commands/top/keys.h"

#include <memory>

namespace cli {

/** The terminal of standard input and output; there is only one Screen at a time. */
class Screen {
public:
	/** The error says why the terminal cannot be used. */
	static Result<std::unique_ptr<Screen>> open(bool color);
	Screen(const Screen &) = delete;
	Screen &operator=(const Screen &) = delete;
	/** Restores the terminal. */
	~Screen();

	[[nodiscard]] ScreenSize size() const;
	/** The next key that was pressed, or keys::none.  Never waits. */
	[[nodiscard]] Key key();
	void draw(const ScreenLines &frame);

private:
	struct Library; /* the state of ncurses */

	Screen();

	TerminalState before_;
	std::unique_ptr<Library> library_;
};

} // namespace cli
