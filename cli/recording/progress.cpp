// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/progress.h"

#include "cli/base/characters.h"
#include "cli/base/numbers.h"
#include "cli/base/stream.h"
#include "cli/base/terminal.h"

#include <fmt/format.h>
#include <utility>

namespace cli {

std::string progress_text(const Progress &progress)
{
	const std::string cost =
		progress.cpu_percent ? fmt::format("{:.2f} % of a CPU  ", *progress.cpu_percent) : "";

	return fmt::format("{}  {}  {}  {} lost  {}(Ctrl-C ends)", duration_text(progress.seconds),
			   processes_text(progress.processes, progress.accounting),
			   counted_noun(progress.accounting.counted, "sample"),
			   grouped(progress.accounting.lost()), cost);
}

Console::Console(std::string command) : command_(std::move(command)), terminal_(isatty(STDERR_FILENO)) {}

Console::~Console()
{
	clear();
}

void Console::say(std::string_view text)
{
	clear();
	write_message(fmt::format("{}: {}\n", command_, printable(text)));
}

void Console::detail(std::string_view text)
{
	clear();
	write_message(fmt::format("  {}\n", printable(text)));
}

void Console::progress(const Progress &progress)
{
	if (!terminal_)
		return;

	const std::string line = progress_text(progress);

	/* Leave the last column free, because some terminals wrap when it is written. */
	write_message(fmt::format("\r\033[K{}", shortened(line, terminal_width(STDERR_FILENO) - 1)));
	shown_ = true;
}

void Console::clear() noexcept
{
	if (std::exchange(shown_, false))
		write_message("\r\033[K");
}

} // namespace cli
