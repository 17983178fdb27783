// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/options/arguments.h"

#include "cli/base/characters.h"
#include "cli/base/color.h"
#include "cli/base/exit.h"
#include "cli/base/stream.h"
#include "cli/names/similar.h"
#include "cli/options/option_list.h"
#include "cli/options/perf_words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>

namespace cli {
namespace {

/** The long options of @p app. */
std::vector<std::string> long_options(const CLI::App &app)
{
	std::vector<std::string> names;

	for (const CLI::Option *option : app.get_options()) {
		for (const std::string &one : option->get_lnames())
			names.push_back("--" + one);
	}
	return names;
}

/** Parse a time above 0, with or without a unit.  @return seconds. */
std::optional<double> seconds_in(std::string_view text)
{
	constexpr std::array<std::pair<std::string_view, double>, 5> units = {
		{{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"h", 3600}}};
	double value = 0;
	const char *end = text.data() + text.size();
	const auto [stop, error] = std::from_chars(text.data(), end, value);
	const std::string_view word(stop, static_cast<size_t>(end - stop));
	const auto *unit =
		std::find_if(units.begin(), units.end(), [&](const auto &one) { return one.first == word; });

	if (error != std::errc() || unit == units.end() || !std::isfinite(value * unit->second) || value <= 0)
		return std::nullopt;
	return value * unit->second;
}

/* CLI11 reports the option only in its own text, which begins with the option's name. */
std::string mismatch_words(const CLI::App &app, std::string_view text)
{
	const std::string option(text.substr(0, text.find(':')));
	const CLI::Option *found = app.get_option_no_throw(option);

	if (found && found->get_items_expected_max() == 0)
		return fmt::format("{} takes no value", option);
	if (found && found->count() > 1)
		return fmt::format("{} may be given only once", option);
	return fmt::format("{} needs a value", option);
}

} // namespace

std::optional<int> parse_arguments(CLI::App &app, std::vector<std::string> arguments, const std::string &help)
{
	app.set_help_flag("-h,--help");
	if (give_options(app))
		return exit_ok;
	std::reverse(arguments.begin(), arguments.end());
	try {
		app.parse(arguments);
	} catch (const CLI::CallForHelp &) {
		return print(app.get_name(), help);
	} catch (const CLI::ExtrasError &) {
		return usage_error(app.get_name(), unexpected_argument(app, app.remaining().front()));
	} catch (const CLI::ArgumentMismatch &error) {
		return usage_error(app.get_name(), mismatch_words(app, error.what()));
	} catch (const CLI::ParseError &error) {
		return usage_error(app.get_name(), error.what());
	}
	return std::nullopt;
}

std::string unexpected_argument(const CLI::App &app, const std::string &argument)
{
	const std::string_view name = std::string_view(argument).substr(0, argument.find('='));
	const std::string_view answer = answer_for_perf_option(argument);

	if (!argument.starts_with('-'))
		return fmt::format("unexpected argument: {}", argument);
	if (!answer.empty())
		return fmt::format("there is no option {}: {}", name, answer);
	return fmt::format("there is no option {}{}", argument,
			   name.starts_with("--") ? did_you_mean(name, long_options(app)) : "");
}

int usage_error(const std::string &command, const std::string &text)
{
	const std::string shown = printable(text);

	/* If the text ends with advice in parentheses, extend that: do not add a second pair. */
	write_message(shown.ends_with(')') ? fmt::format("{0}: {1}; see {0} --help)\n", command,
							 std::string_view(shown).substr(0, shown.size() - 1))
					   : fmt::format("{0}: {1} (see {0} --help)\n", command, shown));
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

void add_duration(CLI::App &app, const std::string &option, double &seconds)
{
	app.add_option(option, seconds)
		->transform(CLI::Validator(
			[](std::string &text) -> std::string {
				const std::optional<double> value = seconds_in(text);

				if (!value)
					return fmt::format("'{}' is not a time above 0, such as 10, 1.5s, "
							   "500ms, 5m or 2h",
							   text);
				text = fmt::format("{}", *value);
				return "";
			},
			""));
}

CLI::Validator positive_count()
{
	return CLI::Validator(
		[](const std::string &text) -> std::string {
			uint64_t value = 0;
			const char *end = text.data() + text.size();
			const auto [stop, error] = std::from_chars(text.data(), end, value);

			if (error == std::errc() && stop == end && value > 0)
				return "";
			return fmt::format("'{}' is not a whole number above 0", text);
		},
		"");
}

CLI::Validator color_word()
{
	return CLI::Validator(
		[](const std::string &text) -> std::string {
			return color_when(text) ? "" : fmt::format("'{}' is not auto, always or never", text);
		},
		"");
}

} // namespace cli
