// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/report/table.cpp  Tables on terminals: narrow ones, wide characters,
 * colours. */
#include "cli/base/table.h"
#include "cli/base/characters.h"
#include "cli/base/color.h"
#include "cli/rows/row_names.h"
#include "tests/host/cli/commands/report/support.h"
#include "tests/host/cli/sample_profile.h"
#include "tests/support/catch.h"

#include <ctime>

using namespace cli;
using cli_test::comparison_of;
using cli_test::has;
using cli_test::report_of;
using cli_test::widest_line;

namespace {

Profile wordy_profile()
{
	Profile profile = sample_profile();

	profile.functions[1].name = "std::vector" + std::string(300, 'T') + "::push_back(T&&)";
	profile.functions[0].name = "größer::日本語の関数(" + std::string(50, 'x') + ")";
	profile.mappings[0].filename = "/opt/" + std::string(100, 'p');
	return profile;
}

std::string without_colors(const std::string &text)
{
	std::string plain;

	for (size_t i = 0; i < text.size(); i++) {
		if (text[i] == '\x1b')
			i = text.find('m', i);
		else
			plain += text[i];
	}
	return plain;
}

} // namespace

TEST_CASE("no line is wider than the terminal", "[cli][report]")
{
	const Profile profile = wordy_profile();

	for (const char *keys : {"function", "object", "address", "line", "inlined,function", "process,line",
				 "process,command,object,line,inlined,function,address"}) {
		for (const size_t width : {20, 21, 27, 40, 80, 100, 132, 200}) {
			CAPTURE(keys, width);
			CHECK(widest_line(report_table(report_of(profile, keys, {width}))) <= width);
			CHECK(widest_line(report_table(
				      comparison_of(sample_profile(), profile, keys, {width}))) <= width);
		}
	}
}

TEST_CASE("on 20 columns share and name are left, and a note lists the other columns", "[cli][report]")
{
	CHECK(report_table(report_of(sample_profile(), "function", {20})) == R"(test.pb.gz: 1,000
  samples at 999 Hz
  in 1.50 s
program (pid 4711)

     %  function
 70.00  main
 20.00  memcpy
  6.00  libc.so.6+0…
  4.00  0x7fff12345…
no room for:
  seconds, sum %,
  object, samples

1,050  100.00 %
  ticks of the clock
1,000   95.24 %
  counted
   45    4.29 %  in
  the kernel, not
  counted
  (--user-only)
    5    0.48 %
  lost: the clock
  was late
)");
}

TEST_CASE("on 40 columns the seconds and the sum of shares make way", "[cli][report]")
{
	CHECK(has(report_table(report_of(sample_profile(), "function", {40})), R"(
samples       %  function      object
    700   70.00  main          program
    200   20.00  memcpy        libc.so.6
     60    6.00  libc.so.6+0…  libc.so.6
     40    4.00  0x7fff12345…  [unknown]
no room for: seconds, sum %
)"));
}

TEST_CASE("on 80 columns long names share the room, and functions get most of it", "[cli][report]")
{
	const std::string text = report_table(report_of(wordy_profile(), "function", {80}));

	CHECK(has(text,
		  "    700     0.70   70.00   70.00  std::vectorTTTTTTTTTTTTTTTTTT…  ppppppppppppp…\n"));
	CHECK_FALSE(has(text, "no room"));
}

TEST_CASE("a mark stays when the name is cut", "[cli][report]")
{
	CHECK(has(report_table(report_of(wordy_profile(), "inlined", {80})), "… (inlined)  "));
}

TEST_CASE("characters count by the columns that they occupy", "[cli][report]")
{
	CHECK(columns("日本語") == 6);
	CHECK(columns("e\u0301") == 1);
	CHECK(columns("größer…") == 7);
	CHECK(shortened("日本語", 6) == "日本語");
	CHECK(shortened("日本語", 5) == "日本…");
	CHECK(shortened("日本語", 4) == "日…");
	CHECK(fitting("e\u0301e\u0301", 1) == "e\u0301");
}

TEST_CASE("columns stay aligned beside wide characters", "[cli][report]")
{
	const std::vector<Cell> japanese = {{"日本"}, {"1"}};
	const std::vector<Cell> english = {{"ab"}, {"2"}};
	Table table;

	table.add_column({"name", TableColumn::Kind::Name});
	table.add_column({"n"});
	table.add_row(japanese);
	table.add_row(english);

	CHECK(render(table, 0, false).text == "name  n\n日本  1\nab    2\n");
}

TEST_CASE("text is broken at spaces, or where there are none", "[cli][report]")
{
	CHECK(wrapped("one two three", 8) == std::vector<std::string>{"one two", "  three"});
	CHECK(wrapped("abcdefghij", 4) == std::vector<std::string>{"abcd", "  ef", "  gh", "  ij"});
	CHECK(wrapped("日本", 1) == std::vector<std::string>{"日", "  本"});
	CHECK(wrapped("as it is", 0) == std::vector<std::string>{"as it is"});
	CHECK(wrapped("", 5) == std::vector<std::string>{""});
}

TEST_CASE("long names are whole in the first rows, and cut in the others", "[cli][report]")
{
	const std::string name = "日" + std::string(999, 'x');
	TextStore store;
	RowNames names(store, 2500);

	CHECK(names.limited(name) == name);
	CHECK(names.limited(name) == name);
	for (int row = 0; row < 10; row++)
		CHECK(names.limited(name) == "日" + std::string(RowNames::cut_columns - 2, 'x') + "…");
	CHECK(names.limited("short") == "short");
	CHECK(names.limited(std::string(400, 'y')) == std::string(400, 'y'));
}

TEST_CASE("breaking four times as much text takes four times as long", "[cli][report]")
{
	const auto time_to_break = [](size_t size) {
		const std::string text(size, 'x');
		const clock_t begin = clock();

		CHECK(wrapped(text, 80).size() == (size - 80 + 77) / 78 + 1);
		return static_cast<double>(clock() - begin);
	};

	time_to_break(100000);
	CHECK(time_to_break(4000000) < 10 * time_to_break(1000000));
}

TEST_CASE("colours depend on the percentage, and use no columns", "[cli][report]")
{
	const Report plain = report_of(sample_profile(), "function", {40});
	Report painted = plain;

	painted.style.color = true;
	const std::string text = report_table(painted);

	CHECK(without_colors(text) == report_table(plain));
	CHECK(has(text, "\x1b[31m70.00\x1b[0m  main"));
	CHECK(has(text, "\x1b[33m4.00\x1b[0m"));
	CHECK(has(text, "\x1b[2m1,050  100.00 %  ticks of the clock\x1b[0m\n"));
	CHECK(heat(0.49) == Paint::Plain);
	CHECK(heat(0.5) == Paint::Low);
}

TEST_CASE("colours appear on request, otherwise only on a terminal", "[cli][report]")
{
	CHECK(wants_color(ColorWhen::Always, -1));
	CHECK_FALSE(wants_color(ColorWhen::Never, 0));
	CHECK_FALSE(wants_color(ColorWhen::Auto, -1));
	CHECK(color_when("auto") == ColorWhen::Auto);
	CHECK_FALSE(color_when("yes").has_value());
	CHECK(painted("text", Paint::Heading, true) == "\x1b[1mtext\x1b[0m");
	CHECK(painted("text", Paint::Heading, false) == "text");
	CHECK(painted("", Paint::Source, true).empty());
}
