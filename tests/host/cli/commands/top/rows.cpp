// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/top/rows.cpp  The rows of profil top: the samples that they
 * count, and the limits on what is kept. */
#include "tests/host/cli/commands/top/support.h"

#include "cli/recording/recording_run.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>
#include <vector>

using namespace cli;
using namespace top_test;

namespace {

/** The rows in order, each as "function 12 +3". */
std::string rows_of(const TopRows &rows, TopOrder order = TopOrder::Samples, bool reversed = false)
{
	std::string text;

	for (const size_t index : rows.first(100, order, reversed))
		text += fmt::format("{}{} {} +{}", text.empty() ? "" : ", ", rows.names(index).function,
				    rows.amount(index).samples, rows.amount(index).fresh);
	return text;
}

/** The number of descriptors that this process has for a file. */
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

TEST_CASE_METHOD(LiveRows, "top's rows have four orders, and each can be reversed", "[cli][top]")
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

TEST_CASE_METHOD(LiveRows, "top opens an object once, and looks up only addresses that are new", "[cli][top]")
{
	feed.come(object, program.address("main"), 1);
	rows.add(feed.take());
	const uint64_t hidden = program.address("hidden(");

	/* From now on, the object can no longer be opened. */
	object->file.close();
	feed.come(object, program.address("main"), 1);
	feed.come(object, hidden, 1);
	rows.add(feed.take());
	CHECK(rows_of(rows) == "main 2 +1, hidden(unsigned long) 1 +1");
	CHECK(feed.edition() == 0);
}

TEST_CASE("an object whose symbols were closed to make room is opened again", "[cli][top]")
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
	/* One descriptor for each object, and one for the symbols that are open. */
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
	/* The test and the feed hold a reference each; the feed has dropped the other objects. */
	CHECK(objects[5].use_count() == 2);
	CHECK(objects[0].use_count() == 1);
}

TEST_CASE("a JIT compiler may report a name after its code has run", "[cli][top]")
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
	CHECK(has(screen(top), "[anon] (no names)"));

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
