// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/top/screen.h"

#include "cli/base/characters.h"
#include "cli/base/terminal.h"

#include <algorithm>
#include <array>
#include <clocale>
#include <cstdio>
#include <langinfo.h>
#include <poll.h>
#include <string_view>
#include <unistd.h>

/* curses.h is included last, because it defines common words as macros. */
#define NCURSES_NOMACROS
#define NCURSES_WIDECHAR 1
#include <curses.h>

namespace cli {
namespace {

/* The longest wait for the rest of a key's escape sequence, in ms; enough for ssh. */
constexpr int escape_delay = 50;

struct KeyCode {
	wint_t code;
	Key key;
};

constexpr std::array key_codes = {
	KeyCode{KEY_UP, keys::up},
	KeyCode{KEY_DOWN, keys::down},
	KeyCode{KEY_PPAGE, keys::page_up},
	KeyCode{KEY_NPAGE, keys::page_down},
	KeyCode{KEY_HOME, keys::home},
	KeyCode{KEY_END, keys::end},
	KeyCode{KEY_BACKSPACE, keys::backspace},
	KeyCode{KEY_F(1), keys::help},
	KeyCode{KEY_LEFT, keys::left},
	KeyCode{KEY_RESIZE, keys::resize},
	KeyCode{KEY_ENTER, keys::enter},
};

struct ColorPair {
	std::string_view parameter; /**< the parameter in painted()'s escape sequence */
	short color;
};

constexpr std::array color_pairs = {ColorPair{"31", COLOR_RED}, ColorPair{"32", COLOR_GREEN},
				    ColorPair{"33", COLOR_YELLOW}, ColorPair{"36", COLOR_CYAN}};

/* profil writes names as UTF-8; ncurses expects the encoding of the locale. */
void use_utf8()
{
	std::setlocale(LC_CTYPE, "");
	if (std::string_view(nl_langinfo(CODESET)) != "UTF-8")
		std::setlocale(LC_CTYPE, "C.UTF-8");
}

attr_t attribute_of(ScreenLine::Emphasis emphasis)
{
	switch (emphasis) {
	case ScreenLine::Emphasis::Heading: return A_BOLD;
	case ScreenLine::Emphasis::Selected: return A_REVERSE;
	default: return A_NORMAL;
	}
}

/** The attribute that an escape sequence of painted() stands for. */
attr_t attribute_of(std::string_view parameter)
{
	if (parameter == "1")
		return A_BOLD;
	if (parameter == "2")
		return A_DIM;
	for (size_t i = 0; i < color_pairs.size(); i++) {
		if (color_pairs[i].parameter == parameter)
			return COLOR_PAIR(static_cast<int>(i) + 1);
	}
	return A_NORMAL;
}

/** Draws the text of a line at the cursor, but nothing beyond the right edge. */
class LinePen {
public:
	explicit LinePen(size_t width) : left_(width) {}

	void put(std::string_view text, attr_t attributes)
	{
		const std::string_view fits = fitting(text, left_);

		attrset(static_cast<int>(attributes));
		addnstr(fits.data(), static_cast<int>(fits.size()));
		left_ -= columns(fits);
	}
	void fill(attr_t attributes) { put(std::string(left_, ' '), attributes); }

private:
	size_t left_;
};

void put_line(const ScreenLine &line, size_t width)
{
	const attr_t base = attribute_of(line.emphasis);
	std::string_view rest = line.text;
	attr_t paint = A_NORMAL;
	LinePen pen(width);

	while (!rest.empty()) {
		const size_t escape = std::min(rest.find("\x1b["), rest.size());

		pen.put(rest.substr(0, escape), base | paint);
		rest.remove_prefix(escape);
		if (rest.empty())
			break;

		const size_t end = std::min(rest.find('m'), rest.size() - 1);

		paint = attribute_of(rest.substr(2, end - 2));
		rest.remove_prefix(end + 1);
	}
	if (line.emphasis == ScreenLine::Emphasis::Selected)
		pen.fill(base);
	attrset(A_NORMAL);
}

} // namespace

struct Screen::Library {
	SCREEN *terminal = newterm(nullptr, stdout, stdin);

	Library() = default;
	Library(const Library &) = delete;
	Library &operator=(const Library &) = delete;
	~Library()
	{
		if (terminal) {
			endwin();
			delscreen(terminal);
		}
	}
};

Screen::Screen() : before_(STDOUT_FILENO, leaving_sequences()), library_(std::make_unique<Library>()) {}

Screen::~Screen() = default;

Result<std::unique_ptr<Screen>> Screen::open(bool color)
{
	if (const Outcome checked = check_terminal(); !checked)
		return checked.error();
	use_utf8();

	std::unique_ptr<Screen> screen(new Screen);

	if (!screen->library_->terminal)
		return Error{"ncurses cannot draw on this terminal (use --batch)"};
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(escape_delay);
	if (color && has_colors()) {
		start_color();
		use_default_colors();
		for (size_t i = 0; i < color_pairs.size(); i++)
			init_pair(static_cast<short>(i + 1), color_pairs[i].color, -1);
	}
	return screen;
}

ScreenSize Screen::size() const
{
	return {static_cast<size_t>(getmaxx(stdscr)), static_cast<size_t>(getmaxy(stdscr))};
}

Key Screen::key()
{
	pollfd input = {STDIN_FILENO, POLLIN, 0};
	wint_t code = 0;
	const int kind = get_wch(&code);

	if (kind == OK)
		return static_cast<Key>(code);
	if (kind == ERR)
		return poll(&input, 1, 0) > 0 && (input.revents & (POLLHUP | POLLERR)) ? keys::hangup
										       : keys::none;
	for (const KeyCode &known : key_codes) {
		if (known.code == code)
			return known.key;
	}
	return keys::unknown;
}

void Screen::draw(const ScreenLines &frame)
{
	erase();
	for (size_t i = 0; i < frame.size() && i < size().height; i++) {
		move(static_cast<int>(i), 0);
		put_line(frame[i], size().width);
	}
	refresh();
}

} // namespace cli
