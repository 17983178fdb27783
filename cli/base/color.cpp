// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/color.h"

#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

namespace cli {
namespace {

std::string_view variable(const char *name)
{
	const char *value = std::getenv(name);

	return value ? value : "";
}

std::string_view parameter(Paint paint)
{
	switch (paint) {
	case Paint::Dim: return "2";
	case Paint::Low: return "32";
	case Paint::Some: return "33";
	case Paint::High: return "31";
	case Paint::Heading: return "1";
	case Paint::Source: return "36";
	default: return "";
	}
}

} // namespace

std::optional<ColorWhen> color_when(std::string_view text)
{
	if (text == "auto")
		return ColorWhen::Auto;
	if (text == "always")
		return ColorWhen::Always;
	if (text == "never")
		return ColorWhen::Never;
	return std::nullopt;
}

bool wants_color(ColorWhen when, int fd)
{
	if (when != ColorWhen::Auto)
		return when == ColorWhen::Always;

	const std::string_view terminal = variable("TERM");

	return isatty(fd) && !terminal.empty() && terminal != "dumb" && variable("NO_COLOR").empty();
}

std::string painted(std::string_view text, Paint paint, bool enabled)
{
	if (!enabled || paint == Paint::Plain || text.empty())
		return std::string(text);
	return fmt::format("\x1b[{}m{}\x1b[0m", parameter(paint), text);
}

Paint heat(double percent)
{
	if (percent >= 5)
		return Paint::High;
	if (percent >= 1)
		return Paint::Some;
	return percent >= 0.5 ? Paint::Low : Paint::Plain;
}

} // namespace cli
