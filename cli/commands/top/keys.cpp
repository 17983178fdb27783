// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/top/keys.h"

#include <algorithm>
#include <fmt/format.h>

namespace cli {
namespace {

constexpr std::array bindings = {
	TopBinding{TopAction::Up, {keys::up, U'k'}, "Up, k", "select the row above"},
	TopBinding{TopAction::Down, {keys::down, U'j'}, "Down, j", "select the row below"},
	TopBinding{TopAction::PageUp, {keys::page_up}, "PgUp", "a page up"},
	TopBinding{TopAction::PageDown, {keys::page_down}, "PgDn", "a page down"},
	TopBinding{TopAction::Home, {keys::home, U'g'}, "Home, g", "select the first row, whichever it is"},
	TopBinding{TopAction::End, {keys::end, U'G'}, "End, G", "the last row"},
	TopBinding{TopAction::Annotate,
		   {keys::enter, U'\n', U'a'},
		   "Enter, a",
		   "the instructions of the selected function, with their samples"},
	TopBinding{TopAction::Back, {keys::escape, keys::left}, "Esc, Left", "back to the table"},
	TopBinding{TopAction::NextOrder,
		   {U's', U'>'},
		   "s, >",
		   "sort by the next of samples, delta, name, object"},
	TopBinding{TopAction::PreviousOrder, {U'<'}, "<", "sort by the previous of these"},
	TopBinding{TopAction::NextEvent, {U'e'}, "e", "sort by the next event, if there are several (-e)"},
	TopBinding{TopAction::Reverse, {U'R'}, "R", "reverse the order"},
	TopBinding{TopAction::Filter,
		   {U'/', U'f'},
		   "/, f",
		   "filter by a regular expression, or as --filter; empty: no filter"},
	TopBinding{TopAction::PerProcess, {U'P'}, "P", "a row for each process, or for all together"},
	TopBinding{TopAction::Zero, {U'z'}, "z", "start again: set all counts to zero"},
	TopBinding{TopAction::Pause, {U' ', U'p'}, "Space, p", "pause or continue; counting goes on"},
	TopBinding{TopAction::Refresh, {U'r', U'\f'}, "r", "refresh now"},
	TopBinding{TopAction::Help, {U'h', U'?', keys::help}, "h, ?, F1", "this list, and back to the table"},
	TopBinding{TopAction::Quit, {U'q'}, "q", "quit; from another page, back to the table"},
};

} // namespace

std::span<const TopBinding> top_bindings()
{
	return bindings;
}

TopAction top_action(Key key)
{
	for (const TopBinding &binding : bindings) {
		if (key && std::find(binding.keys.begin(), binding.keys.end(), key) != binding.keys.end())
			return binding.action;
	}
	return TopAction::None;
}

std::vector<std::string> top_key_lines()
{
	std::vector<std::string> lines;

	for (const TopBinding &binding : bindings)
		lines.push_back(fmt::format("  {:<10}{}", binding.names, binding.words));
	return lines;
}

} // namespace cli
