// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/report/programs.cpp  Reports of profiles whose samples name
 * programs without PIDs, as recordings by file do. */
#include "tests/host/cli/commands/report/support.h"
#include "tests/host/cli/sample_profile.h"
#include "tests/support/catch.h"
#include "tests/support/json.h"

using namespace cli;
using namespace cli_test;

namespace {

/** 700 samples of python3, 240 of sqlite3, and 60 of sh in libc. */
Profile programs()
{
	Profile profile = sample_profile();

	profile.samples = {
		{{0}, {700, 700700700}, {{"process", "python3", 0, ""}}},
		{{1}, {200, 200200200}, {{"process", "sqlite3", 0, ""}}},
		{{2}, {60, 60060060}, {{"process", "sh", 0, ""}}},
		{{3}, {40, 40040040}, {{"process", "sqlite3", 0, ""}}},
	};
	return profile;
}

std::string table(const Profile &profile, const std::string &keys,
		  const std::vector<std::string> &filters = {})
{
	return report_table(report_of(profile, keys, {}, filters));
}

/** The second line of a report's header. */
std::string title(const Profile &profile)
{
	const std::string text = table(profile, "function");
	const size_t start = text.find('\n') + 1;

	return text.substr(start, text.find('\n', start) - start);
}

} // namespace

TEST_CASE("programs without PIDs have rows by command and by process, without a note", "[cli][report]")
{
	for (const char *keys : {"command", "process"}) {
		const std::string text = table(programs(), keys);

		CAPTURE(keys, text);
		CHECK(has(text, "    700     0.70   70.00   70.00  python3\n"));
		CHECK(has(text, "    240     0.24   24.00   94.00  sqlite3\n"));
		CHECK(has(text, "     60     0.06    6.00  100.00  sh\n"));
		CHECK_FALSE(has(text, "(pid"));
		CHECK_FALSE(has(text, "distinguish"));
	}
	CHECK(has(table(programs(), "command,function"),
		  "    200     0.20   20.00   90.00  sqlite3  memcpy"));
	CHECK_FALSE(has(table(programs(), "function"), "python3  "));

	const auto json = support::parse_json(report_json(report_of(programs(), "process")));

	CHECK(json["rows"][1]["process"] == "sqlite3");
	CHECK(json["rows"][1]["samples"] == 240);
	CHECK_FALSE(json["rows"][1].contains("pid"));
}

TEST_CASE("a filter chooses programs by their command name", "[cli][report]")
{
	const std::string text = table(programs(), "command", {"process=^s"});

	CHECK(has(text, "    240     0.24   24.00   24.00  sqlite3\n"));
	CHECK(has(text, "     60     0.06    6.00   30.00  sh\n"));
	CHECK(has(text, "700 samples (70.00 %) left out by --filter process=^s\n"));
	CHECK_FALSE(has(text, "distinguish"));
}

TEST_CASE("a filter by PID of a profile without PIDs says how to record them", "[cli][report]")
{
	const std::string text = table(programs(), "command", {"pid=4711"});

	CHECK(has(text, "the profile has the names of processes, but not their PIDs (record with "
			"--per-process)\n"));
	CHECK_FALSE(has(table(sample_profile(), "command", {"pid=1"}), "--per-process"));
}

TEST_CASE("the title names the programs with most samples, not what was attached", "[cli][report]")
{
	Profile profile = programs();

	CHECK(title(profile) == "python3, sqlite3, sh");

	profile.samples.push_back({{1}, {30, 30}, {{"process", "awk", 0, ""}}});
	CHECK(title(profile) == "python3, sqlite3, sh and 1 more program");
	profile.samples.push_back({{1}, {250, 250}, {{"process", "sed", 0, ""}}});
	CHECK(title(profile) == "python3, sed, sqlite3 and 2 more programs");

	/* A program without samples is not counted. */
	profile.samples.push_back({{1}, {0, 0}, {{"process", "idle", 0, ""}}});
	CHECK(title(profile) == "python3, sed, sqlite3 and 2 more programs");

	About about = from_comments(profile.comments);

	about.processes = 12;
	profile.comments = to_comments(about);
	CHECK(title(profile) == "python3, sed, sqlite3 and 2 more programs; 12 processes");
}

TEST_CASE("threads that were added up are below the table, most samples first", "[cli][report]")
{
	Profile profile = programs();
	About about = from_comments(profile.comments);

	CHECK_FALSE(has(table(profile, "function"), "thread"));
	about.threads = {{11, "worker", 3000}};
	for (pid_t tid = 1; tid <= 20; tid++)
		about.threads.push_back({tid + 20, "idle\n", 50});
	profile.comments = to_comments(about);
	const std::string text = table(profile, "function");

	CHECK(has(text, "\nsamples       %  thread, with its time in the kernel\n"
			"  3,000   75.00  worker (tid 11)\n"
			"     50    1.25  idle? (tid 21)\n"));
	CHECK(has(text, "... and 1 more thread, of 50 samples\n"));
}

TEST_CASE("the title names the processes that were attached if only their program has samples",
	  "[cli][report]")
{
	Profile profile = programs();
	About about = from_comments(profile.comments);

	profile.samples.resize(1);
	about.targets = {"python3 (pid 4711)"};
	profile.comments = to_comments(about);
	CHECK(title(profile) == "python3 (pid 4711)");

	/* If the target is a shell, it may have executed the program, or only waited for it. */
	about.targets = {"sh (pid 4711)"};
	profile.comments = to_comments(about);
	CHECK(title(profile) == "python3");

	/* Now the profile does not distinguish programs. */
	profile.samples[0].labels = {};
	CHECK(title(profile) == "sh (pid 4711)");
}

TEST_CASE("the title names processes by PID where samples have PIDs", "[cli][report]")
{
	Profile profile = programs();

	profile.samples[0].labels.own().push_back({"pid", "", 12, "id"});
	profile.samples[1].labels = {{"process", "python3", 0, ""}, {"pid", "", 11, "id"}};
	CHECK(title(profile) == "python3 (pid 12), python3 (pid 11), sh and 1 more program");
}
