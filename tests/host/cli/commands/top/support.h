// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/top/support.h  A real program, and its samples, which arrive
 * when a test says so. */
#pragma once

#include "cli/commands/top/file.h"
#include "cli/commands/top/top.h"
#include "tests/host/cli/sample_profile.h"
#include "tests/support/catch.h"
#include "tests/support/objects.h"
#include "tests/support/programs.h"
#include "tests/support/text.h"
#include "tests/support/told_feed.h"

#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <sstream>

namespace top_test {

using support::has;

using Feed = told_feed::Feed;

/** The program that the tests of symbols use, compiled here. */
class Program {
public:
	explicit Program(const std::string &flags = "-O1 -g")
	{
		const char *compiler = getenv("CXX");
		const support::Output output = support::run(
			fmt::format("{} {} -o {} {}", compiler ? compiler : "g++", flags, path(),
				    std::filesystem::absolute("tests/host/data/symbols.cpp").string()));

		INFO(output.text);
		REQUIRE(output.status == 0);
	}

	[[nodiscard]] std::string path() const { return directory_ / "program"; }

	/** The program as an object of the recorder. */
	[[nodiscard]] std::shared_ptr<cli::Object> object() const { return cli_test::map_object(path()); }

	/** The start of a function, from nm. */
	[[nodiscard]] uint64_t address(const std::string &function) const
	{
		std::istringstream lines(support::run("nm -C " + path()).text);

		for (std::string line; std::getline(lines, line);) {
			if (line.size() > 19 && line.substr(19).starts_with(function))
				return std::stoull(line.substr(0, 16), nullptr, 16);
		}
		FAIL("no function " << function);
		return 0;
	}

private:
	support::TemporaryDirectory directory_;
};

/** A screen without attributes. */
inline std::string text_of(const cli::ScreenLines &frame)
{
	std::string text;

	for (const cli::ScreenLine &line : frame)
		text += line.text + '\n';
	return text;
}

/** The text of the selected line. */
inline std::string selected_of(const cli::ScreenLines &frame)
{
	for (const cli::ScreenLine &line : frame) {
		if (line.emphasis == cli::ScreenLine::Emphasis::Selected)
			return line.text;
	}
	return "";
}

/** Presses keys one after the other; false as soon as one of them quits. */
inline bool press(cli::Top &top, const std::u32string &keys)
{
	for (const cli::Key key : keys) {
		if (!top.press(key))
			return false;
	}
	return true;
}

inline constexpr cli::ScreenSize usual{80, 24};

inline std::string screen(cli::Top &top, cli::ScreenSize size = usual)
{
	return text_of(top.frame(size, false));
}

/** A program, and profil top of its samples. */
struct LiveTop {
	const Program program;
	const std::shared_ptr<cli::Object> object = program.object();
	Feed feed;
	cli::Top top{feed, {}};
};

/** profil top of a file. */
struct FileTop {
	cli::TopFile file{sample_profile()};
	cli::Top top{file, {}};
};

inline cli::View view_of(const std::string &keys)
{
	return {*cli::parse_sort_keys(keys), {}};
}

} // namespace top_test
