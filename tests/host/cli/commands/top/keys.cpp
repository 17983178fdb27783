// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/top/keys.cpp  The keys of profil top. */
#include "tests/host/cli/commands/top/support.h"

#include <set>

using namespace cli;
using namespace top_test;

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

TEST_CASE_METHOD(LiveTop, "z resets the counts", "[cli][top]")
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
	CHECK(has(screen(top), "the counts of a file cannot be set to zero\n"));
	CHECK(has(screen(top), "profil top: 1,000 samples"));
}

TEST_CASE_METHOD(LiveTop, "P shows a row for each process where they are told apart", "[cli][top]")
{
	feed.come(object, program.address("main"), 10, feed.owner(11, "first"));
	feed.come(object, program.address("main"), 5, feed.owner(12, "second"));
	top.refresh();
	CHECK(has(screen(top), "     15  100.00     +15  100.00  main"));
	press(top, U"P");
	CHECK(has(screen(top), "     10   66.67     +10   66.67  first (pid 11)   main"));
	CHECK(has(screen(top), "      5   33.33      +5   33.33  second (pid 12)  main"));
	press(top, U"P");
	CHECK(has(screen(top), "     15  100.00     +15  100.00  main"));
}

TEST_CASE_METHOD(LiveTop, "P shows a row for each program where only those are told apart", "[cli][top]")
{
	press(top, U"P");
	CHECK(has(screen(top), "there are no samples yet\n"));
	feed.come(object, program.address("main"), 10, feed.owner(0, "first"));
	feed.come(object, program.address("main"), 5, feed.owner(0, "second"));
	top.refresh();
	CHECK(has(screen(top), "     15  100.00     +15  100.00  main"));
	CHECK(has(screen(top), "\nfirst, second\n"));
	press(top, U"P");
	CHECK(has(screen(top), "  command  function"));
	CHECK(has(screen(top), "     10   66.67     +10   66.67  first    main"));
	CHECK(has(screen(top), "      5   33.33      +5   33.33  second   main"));
	press(top, U"P");
	CHECK(has(screen(top), "     15  100.00     +15  100.00  main"));
}

TEST_CASE_METHOD(LiveTop, "P says how to tell processes apart where nothing does", "[cli][top]")
{
	feed.come(object, program.address("main"), 10);
	top.refresh();
	press(top, U"P");
	CHECK(has(screen(top), "the profile does not distinguish processes (start with --per-process)\n"));
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

TEST_CASE("a row that is not of one function cannot be annotated, and neither can an empty table",
	  "[cli][top]")
{
	Feed feed;
	TopFile file(sample_profile());
	Top empty(feed, {});
	Top objects(file, view_of("object"));

	press(empty, U"\r");
	CHECK(has(screen(empty), "there is no function to annotate yet\n"));
	press(objects, U"\r");
	CHECK(has(screen(objects), "this row is not one function: nothing to annotate\n"));
}

TEST_CASE_METHOD(FileTop, "h closes the help of top that it has opened, and not a function's instructions",
		 "[cli][top]")
{
	for (const Key key : {Key(U'h'), Key(U'?'), keys::help}) {
		press(top, U"h");
		REQUIRE(has(screen(top), "profil top: keys\n"));
		CHECK(top.press(key));
		CHECK_FALSE(has(screen(top), "profil top: keys\n"));
		CHECK(has(screen(top), "q quit  h help"));
	}
	press(top, U"\r");
	REQUIRE(has(screen(top), "profil top: main\n"));
	press(top, U"h");
	CHECK(has(screen(top), "profil top: keys\n"));
	press(top, U"h");
	CHECK(has(screen(top), "q quit  h help"));
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
