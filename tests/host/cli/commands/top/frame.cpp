// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/top/frame.cpp  What profil top draws, on screens of every size. */
#include "tests/host/cli/commands/top/support.h"

#include "cli/base/characters.h"
#include "cli/profile/pprof.h"

#include <algorithm>
#include <fstream>

using namespace cli;
using namespace top_test;

namespace {

size_t widest(const ScreenLines &frame)
{
	size_t most = 0;

	for (const ScreenLine &line : frame)
		most = std::max(most, columns(line.text));
	return most;
}

} // namespace

TEST_CASE_METHOD(FileTop, "a screen of top, exactly", "[cli][top]")
{
	CHECK(screen(top, {76, 20}) ==
	      "profil top: 1,000 samples in 1.50 s at 999 Hz\n"
	      "program (pid 4711)\n"
	      "\n"
	      "samples       %  function           object\n"
	      "    700   70.00  main               program\n"
	      "    200   20.00  memcpy             libc.so.6\n"
	      "     60    6.00  libc.so.6+0x99990  libc.so.6\n"
	      "     40    4.00  0x7fff12345678     [unknown]\n"
	      "\n\n\n\n\n\n\n"
	      "1,050  100.00 %  ticks of the clock\n"
	      "1,000   95.24 %  counted\n"
	      "   45    4.29 %  in the kernel, not counted (--user-only)\n"
	      "    5    0.48 %  lost: the clock was late\n"
	      "q quit  h help  s sort  / filter  z zero  p pause  P processes  Enter annot…\n");
	CHECK(selected_of(top.frame({76, 20}, false)) == "    700   70.00  main               program");
}

TEST_CASE("a frame of top as text, exactly", "[cli][top]")
{
	const Program program("-O1");
	const auto object = program.object();
	Feed feed;
	Top top(feed, {});

	feed.come(object, program.address("main"), 600);
	feed.come(object, program.address("hidden("), 300);
	top.refresh();
	feed.come(object, program.address("deep::Worker::run"), 100);
	feed.lose(10);
	feed.said = {"1 process was not attached: permission denied: sshd (pid 1)"};
	top.refresh();
	CHECK(top.text(0, 2, false) == "profil top: 1,000 samples in 1.50 s at 999 Hz\n"
				       "program (pid 4711)\n"
				       "\n"
				       "samples       %   delta   now %  function  object\n"
				       "    600   60.00            0.00  main      program\n"
				       "    300   30.00            0.00  hidden    program\n"
				       "... and 1 more row, of 100 samples (10.00 %)\n"
				       "\n"
				       "1,010  100.00 %  ticks of the clock\n"
				       "1,000   99.01 %  counted\n"
				       "   10    0.99 %  lost: the clock was late\n"
				       "1 process was not attached: permission denied: sshd (pid 1)\n");
}

TEST_CASE("where there is room, a row of top has the program with most of its samples", "[cli][top]")
{
	const support::TemporaryDirectory directory;
	const std::string path = directory / "two.pb.gz";
	Profile profile = sample_profile();
	Sample other = profile.samples.front();

	other.labels = {{"process", "python3", 0, ""}};
	other.values[0] = 800;
	profile.samples.push_back(other);
	std::ofstream(path, std::ios::binary) << encode_pprof(profile);

	const auto text = [&](const std::string &options) {
		return support::run(support::build_dir() + "/profil top --batch -i " + path + options).text;
	};

	CHECK(has(text(""), "function           object     command\n"
			    "  1,500   83.33  main               program    python3, 1 more\n"
			    "    200   11.11  memcpy             libc.so.6  [unknown]\n"));
	CHECK_FALSE(has(text(" --sort command,function"), "object     command"));
}

TEST_CASE_METHOD(FileTop, "top draws on terminals of every size, and never beyond", "[cli][top]")
{
	for (const bool page : {false, true}) {
		for (size_t width = 1; width < 100; width += 3) {
			for (size_t height = 1; height < 40; height++) {
				const ScreenLines frame = top.frame({width, height}, false);

				CAPTURE(page, width, height);
				CHECK(frame.size() == height);
				CHECK(widest(frame) <= width);
			}
		}
		press(top, U"h");
	}
}

TEST_CASE_METHOD(FileTop,
		 "20 columns have room for the share and the function, and one line for the hottest row",
		 "[cli][top]")
{
	CHECK(has(screen(top, {20, 10}), "\n 70.00  main\n"));
	CHECK(has(screen(top, {20, 10}), "1,050 ticks: 95.24 …\n"));
	CHECK(has(screen(top, {80, 1}), "    700   70.00  main"));
}

TEST_CASE_METHOD(FileTop, "on a small screen all causes are in one line", "[cli][top]")
{
	CHECK(has(screen(top, {140, 12}),
		  "1,050 ticks: 95.24 % counted; 4.29 % in the kernel, not counted (--user-only); "
		  "0.48 % lost: the clock was late\n"));
}

TEST_CASE("names cannot control the terminal that top draws on", "[cli][top]")
{
	Profile profile = sample_profile();

	profile.functions[1].name = "main\x1b[2Jcleared\n\x07";
	profile.mappings[0].filename = "/bin/\x1b]0;title\x07";
	profile.comments.push_back("profil.target: \x1b[31mred");

	TopFile file(profile);
	Top top(file, {});

	for (const bool annotated : {false, true}) {
		for (const ScreenLine &line : top.frame({200, 24}, false)) {
			CAPTURE(annotated, line.text);
			CHECK(printable(line.text) == line.text);
		}
		top.press(keys::enter);
	}
	for (const std::string &line : split_lines(top.text(80, 20, false)))
		CHECK(printable(line) == line);
}

TEST_CASE("top says when it is paused, and when what it profiled has ended", "[cli][top]")
{
	Feed feed;
	Top top(feed, {});

	press(top, U" ");
	CHECK(top.paused());
	CHECK(has(screen(top), "\npaused\n"));
	press(top, U"p");
	CHECK_FALSE(top.paused());
	feed.is_over = true;
	CHECK(has(screen(top), "\nthe profiled processes have ended\n"));
}
