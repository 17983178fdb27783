// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/terminal.h"

#include <cstdlib>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Include these last, because they define common words as macros. */
#include <curses.h>
#include <term.h>

namespace cli {
namespace {

std::string written; /* filled by put(): tputs() passes no context */

int put(int character)
{
	written += static_cast<char>(character);
	return character;
}

/** The sequence of a capability, or nullptr. */
const char *sequence_of(const char *capability)
{
	const char *sequence = tigetstr(capability);

	return sequence == reinterpret_cast<char *>(-1) ? nullptr : sequence;
}

} // namespace

std::string leaving_sequences()
{
	written.clear();
	for (const char *name : {"sgr0", "cnorm", "rmkx", "rmcup"}) {
		if (const char *sequence = sequence_of(name))
			tputs(sequence, 1, put);
	}
	return written;
}

Outcome check_terminal()
{
	const char *type = std::getenv("TERM");
	int found = 0;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return Error{fmt::format("standard {} is not a terminal (use --batch)",
					 isatty(STDIN_FILENO) ? "output" : "input")};
	if (!type || !*type)
		return Error{"TERM is not set, so the terminal type is unknown (set it, or use --batch)"};
	if (setupterm(type, STDOUT_FILENO, &found) != OK)
		return Error{fmt::format(
			"TERM is '{}', which terminfo does not know (set it to the type of this terminal, "
			"or use --batch)",
			type)};

	if (!sequence_of("cup"))
		return Error{
			fmt::format("TERM is '{}': such a terminal cannot be drawn on (use --batch)", type)};
	return Done();
}

size_t terminal_width(int fd)
{
	winsize size = {};

	if (!isatty(fd))
		return 0;
	if (ioctl(fd, TIOCGWINSZ, &size) || !size.ws_col)
		return 80;
	return size.ws_col;
}

} // namespace cli
