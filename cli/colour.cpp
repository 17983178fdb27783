// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/colour.h"

#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

namespace cli {
namespace {

/* ECMA-48, "select graphic rendition". */
int rendition(Colour colour)
{
	switch (colour) {
	case Colour::Bold: return 1;
	case Colour::Dim: return 2;
	case Colour::Red: return 31;
	case Colour::Green: return 32;
	case Colour::Cyan: return 36;
	default: return 0;
	}
}

} // namespace

std::optional<ColourWhen> colour_when(std::string_view text)
{
	if (text == "auto")
		return ColourWhen::Auto;
	if (text == "always")
		return ColourWhen::Always;
	return text == "never" ? std::optional(ColourWhen::Never) : std::nullopt;
}

bool wants_colour(ColourWhen when, int fd)
{
	const char *no_color = std::getenv("NO_COLOR");
	const char *terminal = std::getenv("TERM");

	if (when != ColourWhen::Auto)
		return when == ColourWhen::Always;
	return isatty(fd) && !(no_color && *no_color) && terminal && std::string_view(terminal) != "dumb";
}

std::string coloured(std::string_view text, Colour colour, bool enabled)
{
	if (!enabled || colour == Colour::None || text.empty())
		return std::string(text);
	return fmt::format("\x1b[{}m{}\x1b[0m", rendition(colour), text);
}

} // namespace cli
