// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/report/page.cpp  The page of profil report --html in a browser,
 * used by page.js as a user would. */
#include "cli/profile/pprof.h"
#include "tests/host/cli/commands/export/support.h"
#include "tests/host/cli/commands/report/html_support.h"
#include "tests/host/cli/event_profile.h"

#include <iostream>
#include <map>
#include <optional>
#include <sstream>

using namespace export_test;

namespace {

/** Checks the page of a profile in a browser.  Returns the first error, if any, or a figure. */
std::string browse(const std::string &check, const Profile &profile, const std::string &arguments = "",
		   const std::optional<Profile> &base = std::nullopt, const std::string &options = "")
{
	const TemporaryDirectory directory;
	const std::string path = file(directory, "sample.pb.gz", encode_pprof(profile));

	if (base)
		file(directory, "old.pb.gz", encode_pprof(*base));
	output_of(fmt::format("cd {} && {}/profil report --html page.html {} {} sample.pb.gz", directory / "",
			      support::build_dir(), base ? "--base old.pb.gz" : "", options));
	return run(fmt::format(
			   "node tests/host/cli/commands/report/page.js $(scripts/build/npm-tools) {} {} {}",
			   check, directory / "page.html", arguments))
		.text;
}

Profile with_markup()
{
	Profile profile = sample_profile();

	profile.functions[1].name = "</script><script>window.ran = 1</script>";
	profile.functions[2].name = "<!--<script><img src=x onerror=\"window.ran = 1\">";
	profile.functions[0].filename = "/src/<img src=x onerror='window.ran = 1'>";
	profile.mappings[0].filename = "/opt/<b>bold</b>";
	profile.comments = {"profil.target: </title><b>x</b>"};
	return profile;
}

/** The samples of functions without lines. */
Profile profile_of(const std::vector<int64_t> &samples)
{
	Profile profile = sample_profile();

	profile.functions.clear();
	profile.locations.clear();
	profile.samples.clear();
	for (size_t i = 0; i < samples.size(); i++) {
		profile.functions.push_back({fmt::format("function_{:04}", i), "", "", 0});
		profile.locations.push_back({0, 0x401000 + i, {{i, 0}}});
		profile.samples.push_back({{i}, {samples[i], 0}, {}});
	}
	return profile;
}

/** 5,500 samples in 5,000 functions. */
Profile flat_profile()
{
	std::vector<int64_t> samples(5'000, 1);

	std::fill_n(samples.begin(), 500, 2);
	return profile_of(samples);
}

/** 7,997 samples: two functions have 1,000 together, a third has 97, and 6,900 have one each. */
Profile profile_with_long_tail()
{
	std::vector<int64_t> samples(6'903, 1);

	samples[0] = 600;
	samples[1] = 400;
	samples[2] = 97;
	return profile_of(samples);
}

} // namespace

TEST_CASE("a browser shows the target, the rows, and what became of every tick", "[cli][html][browser]")
{
	CHECK(browse("content", sample_profile()) == "");
}

TEST_CASE("the pages in the documents' pictures have today's words", "[cli][html][browser][examples]")
{
	const TemporaryDirectory directory;
	const std::string stored = "tests/host/data/examples/";

	for (const auto &[name, arguments] :
	     std::map<std::string, std::string>{{"report", "profil.pb.gz"},
						{"change", "--base old.pb.gz new.pb.gz"},
						{"time", "time.pb.gz"}}) {
		const std::string page = directory / name + ".html";

		INFO(name << ": if this is as intended, make examples");
		output_of(fmt::format("cd {} && {}/profil report --html {} {}", stored, support::build_dir(),
				      page, arguments));
		CHECK(run(fmt::format("node tests/host/cli/commands/report/page.js "
				      "$(scripts/build/npm-tools) words "
				      "{} {}{}.words",
				      page, stored, name))
			      .text == "");
	}
}

TEST_CASE("a page's table is sorted by clicks and keys", "[cli][html][browser]")
{
	CHECK(browse("sort", sample_profile()) == "");
}

TEST_CASE("a page of several events shows the one that its reader chooses", "[cli][html][browser][events]")
{
	CHECK(browse("events", event_profile()) == "");
	CHECK(browse("noevents", sample_profile()) == "");
	/* A comparison of samples of time with those of events. */
	CHECK(browse("noevents", sample_profile(), "", event_profile()) == "");
}

TEST_CASE("a page that compares several events has each with its own marks", "[cli][html][browser][events]")
{
	CHECK(browse("compared_events", with_more_switches(), "", event_profile()) == "");
}

TEST_CASE("a page begins with the event of --order", "[cli][html][browser][events]")
{
	CHECK(browse("ordered_events", event_profile(), "", std::nullopt, "--order cycles") == "");
	CHECK(browse("ordered_events", event_profile(), "", event_profile(), "--order cycles") == "");
}

TEST_CASE("a page's table is filtered, and says what is left", "[cli][html][browser]")
{
	CHECK(browse("filter", sample_profile()) == "");
}

TEST_CASE("the rows of a page's table are chosen by keys, and open their functions", "[cli][html][browser]")
{
	CHECK(browse("rows", sample_profile()) == "");
}

TEST_CASE("a page's chart is zoomed by keys", "[cli][html][browser]")
{
	CHECK(browse("zoom", sample_profile()) == "");
}

TEST_CASE("a page's chart is zoomed by clicks", "[cli][html][browser]")
{
	CHECK(browse("click", sample_profile()) == "");
}

TEST_CASE("a page's chart of a flat profile names the first functions, and the others can be opened",
	  "[cli][html][browser]")
{
	CHECK(browse("flat", flat_profile()) == "");
}

TEST_CASE("a page's chart gives room to the name of one more function before a long tail",
	  "[cli][html][browser]")
{
	CHECK(browse("tail", profile_with_long_tail()) == "");
}

TEST_CASE("a page's map of addresses is navigated by keys", "[cli][html][browser]")
{
	CHECK(browse("map", sample_profile()) == "");
}

TEST_CASE("a page is dark or light as the system or its button has it, and legible", "[cli][html][browser]")
{
	CHECK(browse("theme", sample_profile()) == "");
}

TEST_CASE("everything on a page can be reached by the keyboard, and has a name", "[cli][html][browser]")
{
	CHECK(browse("keyboard", sample_profile()) == "");
}

TEST_CASE("a page cannot fetch anything, and cannot run foreign scripts", "[cli][html][browser]")
{
	CHECK(browse("network", sample_profile()) == "");
}

TEST_CASE("names that would be markup are text in a browser", "[cli][html][browser]")
{
	CHECK(browse("hostile", with_markup()) == "");
}

TEST_CASE("a page shows when the samples of its functions came", "[cli][html][browser]")
{
	Profile profile = sample_profile();
	About about = from_comments(profile.comments);
	const auto slice = [](int64_t ms) { return Label{"slice", "", ms, "milliseconds"}; };

	about.slice_ms = 500;
	profile.comments = to_comments(about);
	for (Sample &sample : profile.samples)
		sample.labels.own().push_back(slice(0));
	profile.samples[1].labels.own().back() = slice(500);
	profile.samples.push_back(profile.samples[0]);
	profile.samples[0].values = {300, 300300300};
	profile.samples.back().values = {400, 400400400};
	profile.samples.back().labels.own().back() = slice(1000);
	CHECK(browse("time", profile) == "");
	CHECK(browse("time_colors", profile) == "");
}

TEST_CASE("a page that compares colours what differs, except where chance explains it",
	  "[cli][html][browser]")
{
	Profile base = sample_profile();

	base.samples[0].values = {400, 400400400};
	base.samples[1].values = {475, 475475475};
	base.functions.push_back({"left()", "_Z4leftv", "", 0});
	base.locations.push_back({0, 0x402000, {{3, 0}}});
	base.samples.push_back({{4}, {25, 25025025}, {}});
	CHECK(browse("compare", sample_profile(), "", base) == "");
}

TEST_CASE("a page says how to compare its profile, with commands that write a comparison",
	  "[cli][html][browser]")
{
	const TemporaryDirectory directory;
	std::istringstream commands(browse("comparable", sample_profile()));
	size_t count = 0;

	for (const char *name : {"sample.pb.gz", "sample.pb.gz.old", "OLD.pb.gz"})
		file(directory, name, encode_pprof(sample_profile()));
	for (std::string command; std::getline(commands, command); count++) {
		REQUIRE(command.starts_with("profil report --html change.html "));
		output_of(fmt::format("cd {} && PATH={}:$PATH && rm -f change.html && {}", directory / "",
				      support::build_dir(), command));
		CHECK(has(output_of("cat " + (directory / "change.html")), "\"compared with\""));
	}
	CHECK(count == 2);
	CHECK(browse("compared", sample_profile(), "", sample_profile()) == "");
}

TEST_CASE("a page shows counts to their last digit", "[cli][html][browser]")
{
	Profile profile = sample_profile();

	profile.samples[0].values[0] = INT64_MAX;
	CHECK(browse("huge", profile) == "");
}

TEST_CASE("a page of a profile without samples says so", "[cli][html][browser]")
{
	Profile profile = sample_profile();

	profile.samples.clear();
	CHECK(browse("empty", profile) == "");
}

TEST_CASE("a page shows the lines and instructions of a function", "[cli][html][browser]")
{
	CHECK(browse("source", RealProfile().profile, "'deep::Worker::run' '^[{]$'") == "");
}

TEST_CASE("a page shows the instructions of a function whose source it does not have, and always its name",
	  "[cli][html][browser]")
{
	CHECK(browse("textless", RealProfile().profile, "", std::nullopt, "--no-source") == "");
	/* The library's headers are outside this prefix, and are found. */
	CHECK(browse("textless", RealProfile().profile, "", std::nullopt,
		     "--path-prefix $OLDPWD/tests=/no/such") == "");
}

TEST_CASE("a page has room on a narrow screen", "[cli][html][browser]")
{
	CHECK(browse("narrow", sample_profile()) == "");
}

TEST_CASE("a page of 50,000 functions has few of them in its document, and all can be reached",
	  "[cli][html][browser]")
{
	const std::string figure = browse("many", html_test::many_functions());

	CHECK(figure.starts_with("figure: "));
	CHECK(std::count(figure.begin(), figure.end(), '\n') == 1);
	std::cout << figure;
}
