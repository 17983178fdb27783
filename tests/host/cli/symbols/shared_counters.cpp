// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/symbols/shared_counters.cpp  Names of counters that several functions share. */
#include "cli/profile/about.h"
#include "cli/profile/location.h"
#include "cli/profile/shared_counter.h"
#include "cli/symbols/build_profile.h"
#include "cli/symbols/later_lines.h"
#include "cli/symbols/live_profile.h"
#include "cli/symbols/symbols.h"
#include "tests/host/cli/close_functions.h"
#include "tests/support/catch.h"

#include <string_view>

using namespace cli;
using cli_test::CloseFunctions;

namespace {

constexpr uint64_t text = CloseFunctions::text;

std::string name_at(Symbols &symbols, uint64_t offset, uint64_t size)
{
	const std::vector<Frame> frames = symbols.frames(text + offset, size);

	return frames.size() == 1 ? frames[0].name : "";
}

/** The name of the location with most samples. */
std::string hottest(const Profile &profile)
{
	const std::vector<uint64_t> samples = samples_by_location(profile);
	const auto most = std::max_element(samples.begin(), samples.end()) - samples.begin();

	return function_of(profile, profile.locations.at(static_cast<size_t>(most)));
}

Profile built(const Tally &tally, std::vector<std::string> *left = nullptr)
{
	std::vector<std::string> warnings;

	return build_profile(tally, {}, nullptr, 1000, warnings, left);
}

} // namespace

TEST_CASE("a counter of one function has its name, wherever the function begins in it", "[cli][shared]")
{
	const CloseFunctions program;
	const Object object = cli_test::open_object(program.path());
	Symbols symbols(object);

	CHECK(name_at(symbols, 0x0, 16) == "f_one");
	CHECK(name_at(symbols, 0x18, 8) == "f_two");
	/* Padding before and after a function. */
	CHECK(name_at(symbols, 0x20, 32) == "f_two");
	CHECK(name_at(symbols, 0x38, 16) == "f_three");
	CHECK(name_at(symbols, 0x40, 16) == "f_three");
	CHECK(name_at(symbols, 0xc0, 64) == "f_four");
	/* Nothing is after the last section. */
	CHECK(name_at(symbols, 0xc0, 0x10000) == "f_four");
}

TEST_CASE("a counter of several functions has no function's name, but says how many they are",
	  "[cli][shared]")
{
	const CloseFunctions program;
	const Object object = cli_test::open_object(program.path());
	Symbols symbols(object);

	CHECK(name_at(symbols, 0x10, 16) == "close+0x401010..0x401020 (2 functions)");
	CHECK(name_at(symbols, 0x17, 2) == "close+0x401017..0x401019 (2 functions)");
	CHECK(name_at(symbols, 0x30, 32) == "close+0x401030..0x401050 (2 functions)");
	CHECK(name_at(symbols, 0x0, 128) == "close+0x401000..0x401080 (4 functions)");
	CHECK(name_at(symbols, 0x0, 4096) == "close+0x401000..0x402000 (5 functions)");
}

TEST_CASE("text without a symbol counts as a function, and lends no other's name", "[cli][shared]")
{
	const CloseFunctions program;
	const Object object = cli_test::open_object(program.path());
	Symbols symbols(object);

	CHECK(name_at(symbols, 0x40, 32) == "close+0x401040..0x401060 (2 functions)");
	CHECK(name_at(symbols, 0xb0, 32) == "close+0x4010b0..0x4010d0 (2 functions)");
	CHECK(name_at(symbols, 0x60, 16).empty());
	CHECK(name_at(symbols, 0x60, 1).empty());
}

TEST_CASE("code made at run time shares counters like other code, and one name is one function",
	  "[cli][shared][jit]")
{
	JitSymbols symbols;

	symbols.add_perf_map("1000 20 first\n1020 20 second\n1040 20 Interpreter\n1060 20 Interpreter\n"
			     "1100 40 apart\n1150 10 near\n");
	const auto count = [&](uint64_t low, uint64_t high) { return symbols.functions_in(low, high).count; };

	CHECK(count(0x1000, 0x1020) == 1);
	CHECK(count(0x1010, 0x1030) == 2);
	CHECK(count(0x1000, 0x1060) == 3);
	CHECK(count(0x1040, 0x1080) == 1);
	/* What is before the first, 128 bytes after the fourth, and what is after the last have no
	 * name. */
	CHECK(count(0xff0, 0x1010) == 2);
	CHECK(count(0x1070, 0x1090) == 2);
	CHECK(count(0x1150, 0x1170) == 2);
	CHECK(count(0x1090, 0x10a0) == 1);
	CHECK_FALSE(symbols.functions_in(0x1090, 0x10a0).first);
	/* 16 bytes are padding. */
	CHECK(count(0x1130, 0x1150) == 1);
	CHECK(count(0x1140, 0x1160) == 1);
	CHECK(symbols.functions_in(0x1140, 0x1160).first == uint64_t{0x1150});
	CHECK(JitSymbols().functions_in(0, 0x1000).first == std::nullopt);
}

TEST_CASE("samples by address and of a shared counter at one place have the counter's name", "[cli][shared]")
{
	const CloseFunctions program;
	const auto object = program.object();
	const std::string shared = "close+0x401010..0x401020 (2 functions)";
	LiveProfile live(1000);
	Tally first;
	Tally second;

	first.add(object, {text + 0x10, 0, 0}, 3);
	live.add(first, {});
	CHECK(hottest(live.profile()) == "f_one");

	const uint64_t edition = live.edition();

	second.add(object, {text + 0x10, 4, 0}, 4);
	live.add(second, {});
	CHECK(live.profile().locations.size() == 1);
	CHECK(hottest(live.profile()) == shared);
	CHECK(live.edition() != edition);
	second.add(first);
	CHECK(hottest(built(second)) == shared);
}

TEST_CASE("lines that are added later change no name of a counter", "[cli][shared]")
{
	const CloseFunctions program;
	const auto object = program.object();
	Tally tally;
	std::vector<std::string> left;
	About about;

	/* Counters of 8 and of 256 bytes, and one in which nothing has a name. */
	tally.add(object, {text + 0x38, 3, 0}, 3);
	tally.add(object, {text + 0x40, 3, 0}, 4);
	tally.add(object, {text, 8, 0}, 5);
	tally.add(object, {text + 0x60, 4, 0}, 6);
	Profile profile = built(tally, &left);

	about.granularity = "a counter for every 8 to 256 bytes of text";
	about.lines_later = {program.path()};
	profile.comments = to_comments(about);

	const auto names = [&] {
		std::vector<std::string> all;

		for (const Location &location : profile.locations)
			all.push_back(function_of(profile, location));
		return all;
	};
	const std::vector<std::string> before = names();

	CHECK(before == std::vector<std::string>{"close+0x401000..0x401100 (5 functions)", "close+0x401038",
						 "f_three", "close+0x401060"});
	CHECK(add_lines(profile).empty());
	CHECK(names() == before);
}

TEST_CASE("the name of a shared counter is not taken for a function's", "[cli][shared]")
{
	CHECK(shared_counter_name("/usr/lib/libc.so.6", 0x1000, 0x2000, 11) ==
	      "libc.so.6+0x1000..0x2000 (11 functions)");
	CHECK(functions_sharing("libc.so.6+0x1000..0x2000 (11 functions)") == uint64_t{11});
	CHECK(functions_sharing("+0x0..0x1 (2 functions)") == uint64_t{2});
	CHECK(sharing_mark("libc.so.6+0x1000..0x2000 (11 functions)") == " (11 functions)");
	for (const std::string_view name :
	     {"", "main", "run(int)", " functions)", "(2 functions)", "a (2 functions)",
	      "a+0x1..0x2 (1 functions)", "a+0x1..0x2 (x functions)", "a+0x1..0x2 ( functions)",
	      "a+0x1..0x2(2 functions)", "a+0x..0x2 (2 functions)", "a+1..0x2 (2 functions)",
	      "a0x1..0x2 (2 functions)", "a+0x1.0x2 (2 functions)", "a+0x1..0x2 (2 functions) "}) {
		CAPTURE(name);
		CHECK_FALSE(functions_sharing(name));
		CHECK(sharing_mark(name).empty());
	}
}
