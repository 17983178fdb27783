// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/arguments.h"

#include "cli/stream.h"
#include "cli/subcommands.h"
#include "cli/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>

namespace cli {

std::optional<int> parse_arguments(CLI::App &app, std::vector<std::string> arguments, const std::string &help)
{
	app.set_help_flag("-h,--help");
	std::reverse(arguments.begin(), arguments.end());
	try {
		app.parse(arguments);
	} catch (const CLI::CallForHelp &) {
		return print(app.get_name(), help);
	} catch (const CLI::ParseError &error) {
		return usage_error(app.get_name(), error.what());
	}
	return std::nullopt;
}

int usage_error(const std::string &command, const std::string &text)
{
	write_message(fmt::format("{0}: {1} (see {0} --help)\n", command, printable(text)));
	return exit_usage;
}

CLI::Validator positive_number()
{
	return CLI::Validator(
		[](const std::string &text) -> std::string {
			double value = 0;
			const char *end = text.data() + text.size();
			const auto [stop, error] = std::from_chars(text.data(), end, value);

			if (error == std::errc() && stop == end && std::isfinite(value) && value > 0)
				return "";
			return fmt::format("'{}' is not a number above 0", text);
		},
		"");
}

} // namespace cli
