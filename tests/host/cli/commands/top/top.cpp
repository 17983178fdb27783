// SPDX-License-Identifier: GPL-2.0-or-later
// What profil top shows, and what its keys do to that.
#include "tests/host/cli/commands/top/support.h"

#include "cli/base/characters.h"
#include "cli/commands/top/file.h"
#include "cli/recording/recording_run.h"
#include "tests/host/cli/sample_profile.h"

#include <filesystem>
#include <fstream>
#include <set>

using namespace cli;
using namespace top_test;

namespace {

/** "function 12 +3" of each row, in order. */
std::string rows_of(const TopRows &rows, TopOrder order = TopOrder::Samples, bool reversed = false)
{
	std::string text;

	for (const size_t index : rows.first(100, order, reversed))
		text += fmt::format("{}{} {} +{}", text.empty() ? "" : ", ", rows.names(index).function,
				    rows.rows()[index].samples, rows.rows()[index].fresh);
	return text;
}

size_t widest(const ScreenLines &frame)
{
	size_t most = 0;

	for (const ScreenLine &line : frame)
		most = std::max(most, columns(line.text));
	return most;
}

/** How many of ours are of a file. */
size_t descriptors_of(const std::string &path)
{
	size_t count = 0;

	for (const auto &entry : std::filesystem::directory_iterator("/proc/self/fd")) {
		std::error_code gone;

		count += std::filesystem::read_symlink(entry, gone) == path;
	}
	return count;
}

/** A program, and rows for its samples. */
struct LiveRows {
	const Program program;
	const std::shared_ptr<Object> object = program.object();
	Feed feed;
	TopRows rows{feed.profile(), {}, {}};
};

/** A program, and what is shown of its samples. */
struct LiveTop {
	const Program program;
	const std::shared_ptr<Object> object = program.object();
	Feed feed;
	Top top{feed, {}};
};

/** What is shown of a file. */
struct FileTop {
	TopFile file{sample_profile()};
	Top top{file, {}};
};

View view_of(const std::string &keys)
{
	return {*parse_sort_keys(keys), {}};
}

} // namespace

TEST_CASE_METHOD(LiveRows, "top's rows have all samples since the beginning, and those of the last refresh",
		 "[cli][top]")
{
	const uint64_t main = program.address("main");
	const uint64_t hidden = program.address("hidden(");

	feed.come(object, main, 5);
	feed.come(object, hidden, 7);
	feed.come(object, hidden + 4, 2);
	rows.add(feed.take());
	CHECK(rows_of(rows) == "hidden(unsigned long) 9 +9, main 5 +5");

	feed.come(object, main, 10);
	rows.add(feed.take());
	CHECK(rows_of(rows) == "main 15 +10, hidden(unsigned long) 9 +0");
	CHECK(rows.samples() == 24);
	CHECK(rows.fresh() == 10);

	rows.add(feed.take());
	CHECK(rows_of(rows) == "main 15 +0, hidden(unsigned long) 9 +0");
}

TEST_CASE_METHOD(LiveRows, "top's rows can be in four orders, and each of them the other way round",
		 "[cli][top]")
{
	feed.come(object, program.address("main"), 9);
	feed.come(object, program.address("hidden("), 5);
	feed.come(object, program.address("deep::Worker::run"), 7);
	rows.add(feed.take());
	feed.come(object, program.address("hidden("), 1);
	rows.add(feed.take());

	const std::string worker = "deep::Worker::run(unsigned long) 7 +0";
	const std::string hidden = "hidden(unsigned long) 6 +1";
	const std::string main = "main 9 +0";

	CHECK(rows_of(rows) == main + ", " + worker + ", " + hidden);
	CHECK(rows_of(rows, TopOrder::Samples, true) == hidden + ", " + worker + ", " + main);
	CHECK(rows_of(rows, TopOrder::Delta) == hidden + ", " + main + ", " + worker);
	CHECK(rows_of(rows, TopOrder::Name) == worker + ", " + hidden + ", " + main);
	CHECK(rows_of(rows, TopOrder::Object) == main + ", " + worker + ", " + hidden);
	CHECK(rows.first(1, TopOrder::Name, true).size() == 1);
	CHECK(rows.before(rows.first(3, TopOrder::Delta, false).back(), TopOrder::Delta, false) == 2);
}

TEST_CASE_METHOD(LiveRows, "top opens an object once, and looks up only addresses that it has not met",
		 "[cli][top]")
{
	feed.come(object, program.address("main"), 1);
	rows.add(feed.take());
	const uint64_t hidden = program.address("hidden(");

	/* From now on it could not be opened. */
	object->file.close();
	feed.come(object, program.address("main"), 1);
	feed.come(object, hidden, 1);
	rows.add(feed.take());
	CHECK(rows_of(rows) == "main 2 +1, hidden(unsigned long) 1 +1");
	CHECK(feed.edition() == 0);
}

TEST_CASE("an object whose symbols were closed for want of room is opened again", "[cli][top]")
{
	const Program program;
	const auto one = program.object();
	const auto other = program.object();
	LiveLimits limits;

	limits.open = 1;

	Feed feed(limits);
	TopRows rows(feed.profile(), {}, {});

	for (const char *function : {"main", "hidden("}) {
		feed.come(one, program.address(function), 1);
		feed.come(other, program.address(function), 1);
		rows.add(feed.take());
	}
	CHECK(rows_of(rows) == "main 2 +0, hidden(unsigned long) 2 +2");
	/* The two objects' own, and that of the symbols which are open. */
	CHECK(descriptors_of(program.path()) == 3);
}

TEST_CASE("when there are too many places, the hottest stay, and the sum of the others", "[cli][top]")
{
	const Program program;
	const auto object = program.object();
	LiveLimits limits;

	limits.places = 4;

	Feed feed(limits);
	const uint64_t main = program.address("main");
	const uint64_t hidden = program.address("hidden(");

	feed.come(object, main, 100);
	feed.come(object, hidden, 50);
	feed.come(object, main + 4, 3);
	feed.come(object, hidden + 4, 2);
	feed.take();
	feed.come(object, hidden, 1);
	feed.come(object, hidden + 4, 1);

	const std::vector<Change> changes = feed.take();
	const TopRows rows(feed.profile(), {}, changes);

	CHECK(feed.edition() == 1);
	CHECK(rows_of(rows) == "main 100 +0, hidden(unsigned long) 52 +2, [other] 5 +0");
	CHECK(rows.samples() == 157);
	for (const Sample &sample : feed.profile().samples)
		CHECK(feed.profile().locations.size() > sample.locations.front());

	for (uint64_t i = 0; i < 100; i++) {
		feed.come(object, main + i, 1);
		feed.take();
	}

	const TopRows later(feed.profile(), {}, {});

	CHECK(later.samples() == 257);
	CHECK(feed.profile().locations.size() <= 6);
}

TEST_CASE("when there are too many objects, the hottest stay with their places", "[cli][top]")
{
	const Program program;
	LiveLimits limits;
	std::vector<std::shared_ptr<Object>> objects;

	limits.objects = 4;

	Feed feed(limits);

	for (uint64_t i = 0; i < 6; i++) {
		objects.push_back(program.object());
		feed.come(objects.back(), program.address("main"), i + 1);
	}
	feed.take();
	feed.take();

	const TopRows rows(feed.profile(), {}, {});

	CHECK(rows_of(rows) == "main 11 +0, [other] 10 +0");
	/* Ours and the feed's: the others are let go of. */
	CHECK(objects[5].use_count() == 2);
	CHECK(objects[0].use_count() == 1);
}

TEST_CASE("a JIT compiler may tell a name after its code has run", "[cli][top]")
{
	const std::string map = fmt::format("/tmp/perf-{}.map", getpid());
	const auto object = std::make_shared<Object>();
	Feed feed;
	Top top(feed, {});

	object->name = "[anon]";
	object->source = Source::Anonymous;
	object->jit = std::make_shared<JitFiles>(getpid());
	object->texts.add({0x10000, 0x20000, 0}, false);
	feed.come(object, 0x10010, 1);
	top.refresh();
	CHECK(has(screen(top), "[anon]+0x10010"));

	std::ofstream(map) << "10000 100 compiled_late\n";
	object->jit->look();
	for (int i = 0; i < 5; i++) {
		feed.come(object, 0x10010, 1);
		top.refresh();
	}
	std::filesystem::remove(map);
	CHECK(has(screen(top), "      6  100.00      +1  100.00  compiled_late"));
}

TEST_CASE("top reads debug information for inlined functions and lines alone", "[cli][top]")
{
	CHECK(detail_for(view_of("function")) == Detail::Functions);
	CHECK(detail_for(view_of("object,process,address")) == Detail::Functions);
	CHECK(detail_for(view_of("inlined")) == Detail::Lines);
	CHECK(detail_for(view_of("line")) == Detail::Lines);
	CHECK(detail_for({{SortKey::Function}, {*parse_filter("file=x")}}) == Detail::Lines);
	CHECK(detail_for({{SortKey::Function}, {*parse_filter("function=x")}}) == Detail::Functions);

	const Program program;
	const auto object = program.object();
	Feed feed;

	feed.come(object, program.address("hidden("), 3);
	feed.take();
	CHECK(feed.profile().functions.at(0).filename.empty());

	const Top top(feed, view_of("line"));

	CHECK(has(top.text(0, 20, false), "symbols.cpp:"));
}

TEST_CASE_METHOD(FileTop, "a screen of top, exactly", "[cli][top]")
{
	CHECK(screen(top, {76, 20}) ==
	      "profil top: 1,000 samples in 1.50 s at 999 Hz\n"
	      "program (pid 4711); a counter for every byte of text\n"
	      "\n"
	      "samples       %  function           object\n"
	      "    700   70.00  main               program\n"
	      "    200   20.00  memcpy             libc.so.6\n"
	      "     60    6.00  libc.so.6+0x99990  libc.so.6\n"
	      "     40    4.00  0x7fff12345678     [unknown]\n"
	      "\n\n\n\n\n\n\n"
	      "1,050  100.00 %  ticks of the clock\n"
	      "1,000   95.24 %  counted\n"
	      "   45    4.29 %  in the kernel, not counted (--kernel counts them)\n"
	      "    5    0.48 %  lost: the clock was late\n"
	      "q quit  h help  s sort  / filter  z zero  p pause  P per process  Enter ann…\n");
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
				       "program (pid 4711); a counter for every byte of text\n"
				       "\n"
				       "samples       %   delta   now %  function               object\n"
				       "    600   60.00            0.00  main                   program\n"
				       "    300   30.00            0.00  hidden(unsigned long)  program\n"
				       "... and 1 more row, of 100 samples (10.00 %)\n"
				       "\n"
				       "1,010  100.00 %  ticks of the clock\n"
				       "1,000   99.01 %  counted\n"
				       "   10    0.99 %  lost: the clock was late\n"
				       "1 process was not attached: permission denied: sshd (pid 1)\n");
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

TEST_CASE_METHOD(FileTop, "20 columns have room for the share and the function, a line for the hottest",
		 "[cli][top]")
{
	CHECK(has(screen(top, {20, 10}), "\n 70.00  main\n"));
	CHECK(has(screen(top, {20, 10}), "1,050 ticks: 95.24 …\n"));
	CHECK(has(screen(top, {80, 1}), "    700   70.00  main"));
}

TEST_CASE_METHOD(FileTop, "on a small screen every cause is in one line", "[cli][top]")
{
	CHECK(has(screen(top, {140, 12}),
		  "1,050 ticks: 95.24 % counted; 4.29 % in the kernel, not counted (--kernel counts them); "
		  "0.48 % lost: the clock was late\n"));
}

TEST_CASE("names cannot do anything to the terminal that top draws on", "[cli][top]")
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

TEST_CASE_METHOD(LiveTop, "the selected row stays selected wherever it goes", "[cli][top]")
{
	feed.come(object, program.address("main"), 10);
	feed.come(object, program.address("hidden("), 5);
	top.refresh();
	CHECK(has(selected_of(top.frame(usual, false)), "main"));

	press(top, U"j");
	CHECK(has(selected_of(top.frame(usual, false)), "hidden"));

	feed.come(object, program.address("hidden("), 100);
	top.refresh();
	CHECK(has(selected_of(top.frame(usual, false)), "hidden"));
	CHECK(has(screen(top), "    105   91.30    +100  100.00  hidden"));

	top.press(keys::home);
	feed.come(object, program.address("main"), 1000);
	top.refresh();
	CHECK(has(selected_of(top.frame(usual, false)), "main"));
}

TEST_CASE("the table scrolls with the selected row", "[cli][top]")
{
	Profile profile = sample_profile();

	for (size_t i = 0; i < 50; i++) {
		profile.functions.push_back({fmt::format("function{:02}", i), "", "", 0});
		profile.locations.push_back({1, 0x31000 + i, {{profile.functions.size() - 1, 0}}});
		profile.samples.push_back({{profile.locations.size() - 1}, {20, 20}, {}});
	}

	TopFile file(profile);
	Top top(file, {});

	CHECK_FALSE(has(screen(top), "function49"));
	top.press(keys::end);
	CHECK(has(screen(top), "function49"));
	CHECK(has(selected_of(top.frame(usual, false)), "function49"));
	CHECK_FALSE(has(screen(top), "memcpy"));
	top.press(keys::up);
	CHECK(has(selected_of(top.frame(usual, false)), "function48"));
	for (int i = 0; i < 10; i++)
		top.press(keys::page_up);
	CHECK(has(selected_of(top.frame(usual, false)), "main"));
	for (int i = 0; i < 10; i++)
		top.press(keys::page_down);
	CHECK(has(selected_of(top.frame(usual, false)), "function49"));
}

TEST_CASE_METHOD(FileTop, "the keys for sorting go through all orders", "[cli][top]")
{
	for (const char *order : {"delta", "name", "object", "samples"}) {
		press(top, U"s");
		CHECK(has(screen(top), fmt::format("sorted by {}\n", order)));
	}
	press(top, U"<<");
	CHECK(has(screen(top), "by name\n"));
	press(top, U"R");
	CHECK(has(screen(top), "by name, reversed\n"));
	CHECK(has(selected_of(top.frame(usual, false)), "memcpy"));
}

TEST_CASE_METHOD(FileTop, "a filter is typed, and what it leaves out is counted", "[cli][top]")
{
	press(top, U"/^mai");
	CHECK(has(screen(top), "\nfilter: ^mai\n"));
	CHECK(has(screen(top), "memcpy"));
	press(top, U"n\r");
	CHECK(has(screen(top), "filter function=^main\n"));
	CHECK(has(screen(top), "300 samples (30.00 %) left out by the filter\n"));
	CHECK_FALSE(has(screen(top), "memcpy"));

	press(top, U"fobject!=libc\r");
	CHECK(has(screen(top), "260 samples (26.00 %) left out by the filter\n"));

	press(top, U"/(\r");
	CHECK(has(screen(top), "filter: (   '(' is not a regular expression: Unmatched ( or \\("));
	press(top, U"\x1b");
	CHECK(has(screen(top), "260 samples (26.00 %) left out by the filter\n"));
	press(top, U"/\r");
	CHECK(has(screen(top), "memcpy"));
	CHECK_FALSE(has(screen(top), "left out"));
}

TEST_CASE("a line that is typed can be corrected, and has no control characters", "[cli][top]")
{
	LineEditor editor("filter: ");

	for (const Key key : std::u32string(U"aé\x01\x1d漢"))
		editor.press(key);
	CHECK(editor.line() == "filter: aé漢");
	editor.press(keys::backspace);
	editor.press(keys::backspace);
	editor.press(keys::up);
	CHECK(editor.text() == "a");
	editor.press(0x15);
	CHECK(editor.text().empty());
	editor.press(keys::backspace);
	CHECK(editor.press(keys::enter) == LineEditor::State::Done);
	CHECK(editor.press(keys::escape) == LineEditor::State::Cancelled);
}

TEST_CASE_METHOD(LiveTop, "z begins anew", "[cli][top]")
{
	feed.come(object, program.address("main"), 10);
	top.refresh();
	press(top, U"z");
	CHECK(has(screen(top), "profil top: 0 samples"));
	CHECK_FALSE(has(screen(top), "main"));

	feed.come(object, program.address("main"), 3);
	top.refresh();
	CHECK(has(screen(top), "      3  100.00      +3  100.00  main"));
}

TEST_CASE_METHOD(FileTop, "a file's counts stay when z is pressed", "[cli][top]")
{
	press(top, U"z");
	CHECK(has(screen(top), "a file has nothing more to come: its counts stay\n"));
	CHECK(has(screen(top), "profil top: 1,000 samples"));
}

TEST_CASE_METHOD(LiveTop, "P shows a row for each process where they are told apart", "[cli][top]")
{
	feed.tells_processes = true;
	feed.come(object, program.address("main"), 10, feed.owner(11, "first"));
	feed.come(object, program.address("main"), 5, feed.owner(12, "second"));
	top.refresh();
	CHECK(has(screen(top), "     15  100.00     +15  100.00  main"));
	press(top, U"P");
	CHECK(has(screen(top), "     10   66.67     +10   66.67  first (pid 11)   main"));
	CHECK(has(screen(top), "      5   33.33      +5   33.33  second (pid 12)  main"));
	press(top, U"P");
	CHECK(has(screen(top), "     15  100.00     +15  100.00  main"));

	feed.tells_processes = false;
	press(top, U"P");
	CHECK(has(screen(top), "processes are not told apart: start with --per-process for that\n"));
}

TEST_CASE_METHOD(LiveTop, "Enter shows the instructions of the selected function with their samples",
		 "[cli][top]")
{
	feed.come(object, program.address("main"), 30);
	feed.come(object, program.address("hidden("), 7);
	top.refresh();
	press(top, U"j\r");

	const std::string page = screen(top, {80, 100});

	CHECK(has(page, "profil top: hidden(unsigned long)\n"));
	CHECK(has(page, "7 samples, 18.92 % of the profile's 37"));
	CHECK(has(page, fmt::format("{:x}:  ", program.address("hidden("))));
	CHECK(has(page, "symbols.cpp:"));
	CHECK(has(page, "\nq, Esc back"));
	CHECK(press(top, U"q"));
	CHECK(has(screen(top), "samples       %"));
}

TEST_CASE("rows that are of no function, or of nothing, cannot be annotated", "[cli][top]")
{
	Feed feed;
	TopFile file(sample_profile());
	Top empty(feed, {});
	Top objects(file, view_of("object"));

	press(empty, U"\r");
	CHECK(has(screen(empty), "there is no function to annotate yet\n"));
	press(objects, U"\r");
	CHECK(has(screen(objects), "this row is not of one function: nothing to annotate\n"));
}

TEST_CASE_METHOD(FileTop, "the help of top has every key, and no key does two things", "[cli][top]")
{
	std::set<Key> seen;

	press(top, U"h");

	const std::string help = screen(top, {120, 40});

	for (const TopBinding &binding : top_bindings()) {
		CHECK(has(help, fmt::format("  {:<10}{}\n", binding.names, binding.words)));
		for (const Key key : binding.keys) {
			CHECK((!key || seen.insert(key).second));
			CHECK((!key || top_action(key) == binding.action));
		}
	}
	CHECK(top_action(0) == TopAction::None);
	CHECK(top_action(U'x') == TopAction::None);
	CHECK(press(top, U"q"));
	CHECK_FALSE(press(top, U"q"));
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
	CHECK(has(screen(top), "\nwhat was profiled has ended\n"));
}
