// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/progress.h"

#include "cli/text.h"

#include <cstdio>
#include <fmt/format.h>

namespace cli {

Console::Console(std::string command) : command_(std::move(command)), terminal_(isatty(STDERR_FILENO)) {}

Console::~Console()
{
	clear();
}

void Console::say(std::string_view text)
{
	clear();
	fmt::print(stderr, "{}: {}\n", command_, printable(text));
}

void Console::detail(std::string_view text)
{
	clear();
	fmt::print(stderr, "  {}\n", printable(text));
}

void Console::progress(double seconds, uint64_t processes, const Accounting &accounting)
{
	if (!terminal_)
		return;

	const std::string line =
		fmt::format("{}  {}  {}  {} lost  (Ctrl-C ends)", duration_text(seconds),
			    counted_noun(processes, "process"), counted_noun(accounting.counted, "sample"),
			    grouped(accounting.lost()));

	/* The last column is left free: some terminals wrap when it is written. */
	fmt::print(stderr, "\r\033[K{}", shortened(line, terminal_width(STDERR_FILENO) - 1));
	shown_ = true;
}

void Console::clear()
{
	if (shown_)
		fmt::print(stderr, "\r\033[K");
	shown_ = false;
}

} // namespace cli
