// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/shared_counters.cpp  What each command shows of a counter that several functions
 * share. */
#include "cli/profile/about.h"
#include "cli/profile/pprof.h"
#include "cli/symbols/build_profile.h"
#include "tests/host/cli/close_functions.h"
#include "tests/host/cli/commands/report/support.h"
#include "tests/host/cli/commands/top/support.h"
#include "tests/host/cli/http/receiver.h"
#include "tests/support/catch.h"

#include <fstream>
#include <nlohmann/json.hpp>

using cli_test::CloseFunctions;
using support::Output;
using support::TemporaryDirectory;

namespace {

constexpr uint64_t text = CloseFunctions::text;
const std::string shared = "close+0x401000..0x401080 (4 functions)";

/** 70 samples of a counter of four functions, and 30 of a counter of one. */
class SharedFile {
public:
	SharedFile()
	{
		std::vector<std::string> warnings;
		cli::Tally tally;
		cli::About about;

		tally.add(program_.object(), {text, 7, 0}, 70);
		tally.add(program_.object(), {text + 0xc0, 4, 0}, 30);

		profile_ = cli::build_profile(tally, {}, nullptr, 1000, warnings);

		about.version = "1";
		about.granularity = "a counter for every 16 to 128 bytes of text";
		profile_.comments = cli::to_comments(about);
		std::ofstream(path(), std::ios::binary) << cli::encode_pprof(profile_);
	}

	[[nodiscard]] const cli::Profile &profile() const { return profile_; }
	[[nodiscard]] std::string path() const { return directory_ / "p"; }
	[[nodiscard]] std::string in_directory(const std::string &name) const { return directory_ / name; }

private:
	CloseFunctions program_;
	TemporaryDirectory directory_;
	cli::Profile profile_;
};

Output profil(const std::string &arguments)
{
	return support::run(support::build_dir() + "/profil " + arguments);
}

bool has(const std::string &all, const std::string &part)
{
	return all.find(part) != std::string::npos;
}

bool has_a_wrong_name(const std::string &all)
{
	return has(all, "f_one") || has(all, "f_two") || has(all, "f_three");
}

} // namespace

TEST_CASE("every output shows a shared counter as its range, and no function of it", "[cli][shared]")
{
	const SharedFile file;

	for (const char *command :
	     {"report", "report --sort inlined", "report --sort address", "report --json", "report --html -",
	      "annotate -i", "export --format callgrind", "export --format csv", "export --format firefox",
	      "export --format folded", "export --format perf-script", "export --format speedscope"}) {
		CAPTURE(command);
		const Output output = profil(command + (" " + file.path()));

		CHECK(output.status == 0);
		CHECK(has(output.text, shared));
		CHECK(has(output.text, "f_four"));
		CHECK_FALSE(has_a_wrong_name(output.text));
	}
}

TEST_CASE("the screen of top has a shared counter's range, and a line about such counters", "[cli][shared]")
{
	const SharedFile file;
	cli::TopFile feed(file.profile());
	cli::Top top(feed, {});
	const std::string screen = top_test::screen(top, {120, 30});

	CHECK(has(screen, shared));
	CHECK(has(screen, "70 samples (70.00 %) of counters that cover several functions"));
	CHECK_FALSE(has_a_wrong_name(screen));
}

TEST_CASE("files in pprof's format have a shared counter as a function of their own", "[cli][shared]")
{
	const SharedFile file;
	const std::string exported = file.in_directory("exported");
	const http_test::Receiver server(200, "");

	REQUIRE(profil("export --format pprof -o " + exported + " " + file.path()).status == 0);
	REQUIRE(profil("push --format pyroscope-ingest --to " + server.url() + " " + file.path()).status ==
		0);
	REQUIRE(server.requests().size() == 1);

	const std::string pushed = server.requests().front().body;
	const size_t begin = pushed.find("\x1f\x8b");

	REQUIRE(begin != pushed.npos);
	std::ofstream(file.in_directory("pushed"), std::ios::binary) << pushed.substr(begin);
	for (const char *name : {"exported", "pushed"}) {
		const std::string content = support::run("zcat " + file.in_directory(name) + " 2>&1").text;

		CAPTURE(name);
		CHECK(has(content, shared));
		CHECK(has(content, "f_four"));
		CHECK_FALSE(has_a_wrong_name(content));
	}
}

TEST_CASE("a report marks rows of shared counters, however narrow it is, and sums them up", "[cli][shared]")
{
	const SharedFile file;
	const std::string wide = profil("report " + file.path()).text;
	const std::string narrow =
		cli::report_table(cli_test::report_of(file.profile(), "function,object", {40}));

	CHECK(has(wide, "70 samples (70.00 %) of counters that cover several functions, named \"(N "
			"functions)\" (--max-memory makes counters smaller)\n"));
	CHECK_FALSE(has(profil("report --by object " + file.path()).text, "several functions"));
	CHECK(has(narrow, "… (4 functions)  close\n"));
	CHECK(has(profil("annotate -i " + file.path()).text,
		  "no instructions: which of the functions was sampled is not known"));
}

TEST_CASE("JSON says how many functions share the counter of a row, and follows its schema", "[cli][shared]")
{
	const SharedFile file;
	const std::string document = file.in_directory("json");

	for (const char *keys : {"function", "inlined"}) {
		CAPTURE(keys);
		REQUIRE(profil("report --json --sort " + (keys + (" " + file.path())) + " >" + document)
				.status == 0);
		const Output validated = support::run("/usr/bin/python3 -W ignore -m jsonschema -i " +
						      document + " Documentation/report.schema.json");
		const auto rows = nlohmann::json::parse(support::run("cat " + document).text)["rows"];

		CHECK(validated.text.empty());
		CHECK(validated.status == 0);
		REQUIRE(rows.size() == 2);
		CHECK(rows[0]["functions"] == 4);
		CHECK(rows[0]["samples"] == 70);
		CHECK_FALSE(rows[1].contains("functions"));
	}
}
