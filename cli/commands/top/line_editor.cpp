// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/top/line_editor.h"

#include "cli/base/characters.h"

namespace cli {
namespace {

constexpr Key del = 0x7F;
constexpr Key control_h = 0x08;
constexpr Key control_u = 0x15;

/* The character in UTF-8, as in RFC 3629. */
std::string utf8(Key character)
{
	const auto byte = [](Key bits) { return static_cast<char>(bits); };
	const auto next = [&](unsigned shift) { return byte(0x80 | (character >> shift & 0x3F)); };

	if (character < 0x80)
		return {byte(character)};
	if (character < 0x800)
		return {byte(0xC0 | character >> 6), next(0)};
	if (character < 0x10000)
		return {byte(0xE0 | character >> 12), next(6), next(0)};
	return {byte(0xF0 | character >> 18), next(12), next(6), next(0)};
}

void drop_last(std::string &text)
{
	while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80)
		text.pop_back();
	if (!text.empty())
		text.pop_back();
}

} // namespace

LineEditor::State LineEditor::press(Key key)
{
	complaint_.clear();
	if (key == keys::enter || key == U'\n')
		return State::Done;
	if (key == keys::escape)
		return State::Cancelled;
	if (key == keys::backspace || key == del || key == control_h)
		drop_last(text_);
	else if (key == control_u)
		text_.clear();
	else if (key < keys::none && printable(utf8(key)) == utf8(key) && text_.size() < most_bytes)
		text_ += utf8(key);
	return State::Editing;
}

std::string LineEditor::line() const
{
	return prompt_ + text_ + (complaint_.empty() ? "" : "   " + printable(complaint_));
}

} // namespace cli
