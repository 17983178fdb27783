// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/top/text_page.h"

#include "cli/base/characters.h"
#include "cli/base/color.h"

#include <algorithm>

namespace cli {
namespace {

/* The title and the last line of the screen. */
constexpr size_t other_lines = 2;

size_t page(ScreenSize size)
{
	return size.height > other_lines ? size.height - other_lines : 1;
}

} // namespace

size_t TextPage::last() const
{
	return lines_.size() - std::min(lines_.size(), page(size_));
}

bool TextPage::act(TopAction action)
{
	switch (action) {
	case TopAction::Up: first_ -= std::min<size_t>(first_, 1); break;
	case TopAction::Down: first_++; break;
	case TopAction::PageUp: first_ -= std::min(first_, page(size_)); break;
	case TopAction::PageDown: first_ += page(size_); break;
	case TopAction::Home: first_ = 0; break;
	case TopAction::End: first_ = last(); break;
	default: return false;
	}
	first_ = std::min(first_, last());
	return true;
}

ScreenLines TextPage::frame(ScreenSize size, bool color, const std::string &bottom)
{
	ScreenLines frame;

	if (lines_.empty() || size.width != size_.width)
		lines_ = split_lines(text_(size.width, color));
	size_ = size;
	first_ = std::min(first_, last());
	if (size.height >= other_lines)
		frame.push_back({shortened(title_, size.width), ScreenLine::Emphasis::Heading});
	for (size_t i = first_; i < lines_.size() && i < first_ + page(size); i++)
		frame.push_back({lines_[i]});
	frame.resize(size.height - (size.height > other_lines));
	if (size.height > other_lines)
		frame.push_back({painted(shortened(bottom, size.width), Paint::Dim, color)});
	return frame;
}

} // namespace cli
