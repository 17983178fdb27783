// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/top/top.h  profil top without its screen: its contents, and its keys. */
#pragma once

#include "cli/commands/top/feed.h"
#include "cli/commands/top/frame.h"
#include "cli/commands/top/keys.h"
#include "cli/commands/top/line_editor.h"
#include "cli/commands/top/rows.h"
#include "cli/commands/top/text_page.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cli {

class Top {
public:
	/** @param feed must outlive this.  @param event to sort by: index in TopRows::types(). */
	Top(TopFeed &feed, View view, size_t event = 0);

	/** Add the samples since the last refresh to the display. */
	void refresh();
	/** True if the display should stay as it is. */
	[[nodiscard]] bool paused() const { return paused_; }
	/** Act on a key; false: the user wants to quit. */
	bool press(Key key);
	/** The current contents of the screen. */
	ScreenLines frame(ScreenSize size, bool color);
	/** The table as text, as top_text() makes it. */
	[[nodiscard]] std::string text(size_t width, size_t limit, bool color) const;

private:
	[[nodiscard]] TopPicture picture() const;
	[[nodiscard]] std::string state() const;
	[[nodiscard]] std::string bottom() const;
	void show(View view);
	void type(Key key);
	bool act(TopAction action);
	bool act_on_page(TopAction action);
	void move(TopAction action);
	void select(size_t position);
	void change_order(int step);
	void next_event();
	void toggle_processes();
	void zero();
	void annotate();
	void show_help();
	Outcome set_filter(const std::string &text);
	[[nodiscard]] size_t position() const;

	TopFeed &feed_;
	std::vector<Change> changes_; /* the changes of the last refresh */
	std::unique_ptr<TopRows> rows_;
	size_t event_ = 0;     /* the event to sort by: an index in TopRows::types() */
	uint64_t edition_ = 0; /* the profile's edition when rows_ was made */
	TopOrder order_ = TopOrder::Samples;
	bool reversed_ = false;
	bool paused_ = false;
	std::optional<size_t> selected_; /* the row, wherever it moves; nullopt: the first row */
	size_t first_ = 0;		 /* the number of rows above those on the screen */
	size_t page_ = 1;		 /* rows on the screen */
	std::string message_;		 /* shown until a key is pressed */
	std::string targets_;		 /* as of the last refresh */
	std::optional<LineEditor> editor_;
	std::unique_ptr<TextPage> page_shown_; /* shown instead of the table */
	bool help_shown_ = false;	       /* the page is the help */
};

/** The detail about places that the rows and filters of @p view need. */
Detail detail_for(const View &view);

} // namespace cli
