// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/commands/top/keys.h  The keys of profil top and their actions. */
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/** A Unicode character, or one of the keys without a character. */
using Key = char32_t;

/** Keys without a character; beyond Unicode's range. */
namespace keys {
constexpr Key none = 0x110000;
constexpr Key up = 0x110001;
constexpr Key down = 0x110002;
constexpr Key page_up = 0x110003;
constexpr Key page_down = 0x110004;
constexpr Key home = 0x110005;
constexpr Key end = 0x110006;
constexpr Key backspace = 0x110007;
constexpr Key help = 0x110008;
constexpr Key left = 0x110009;
/** The terminal's size has changed, so the screen must be redrawn. */
constexpr Key resize = 0x11000A;
/** Any other key. */
constexpr Key unknown = 0x11000C;
/** The terminal is gone. */
constexpr Key hangup = 0x11000B;
constexpr Key enter = U'\r';
constexpr Key escape = 0x1B;
} // namespace keys

enum class TopAction {
	None,
	Up,
	Down,
	PageUp,
	PageDown,
	Home,
	End,
	Annotate,
	Back,
	NextOrder,
	PreviousOrder,
	NextEvent,
	Reverse,
	Filter,
	PerProcess,
	Zero,
	Pause,
	Refresh,
	Help,
	Quit,
};

/** An action and its keys. */
struct TopBinding {
	TopAction action = TopAction::None;
	std::array<Key, 4> keys = {}; /**< 0: no more */
	std::string_view names;
	std::string_view words;
};

/** All bindings, in the order of the help. */
std::span<const TopBinding> top_bindings();

/** The action of a key; TopAction::None for a key without an action. */
TopAction top_action(Key key);

/** A line for each binding. */
std::vector<std::string> top_key_lines();

} // namespace cli
