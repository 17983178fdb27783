// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/slices.cpp  Recordings that say when samples came, and that keep only
 * their last files. */
#include "tests/guest/cli/support.h"

#include <algorithm>
#include <filesystem>

using namespace cli_test;

namespace {

/** The samples of each function of a file, in the slices that the options select. */
std::map<std::string, uint64_t> functions_in(const std::string &file, const std::string &options)
{
	const Output output = profil("report --json " + options + " " + file);
	std::map<std::string, uint64_t> all;

	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json json = Json::parse(output.text);
	for (const Json &row : json["rows"])
		all[row["function"]] += row["samples"].get<uint64_t>();
	return all;
}

std::string between(int from, int to)
{
	return (from ? "--from " + std::to_string(from) : "") + " --to " + std::to_string(to);
}

} // namespace

TEST_CASE("every sample is in one slice, and those of what ran first in earlier ones", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz", burn = program("cli_burn");
	const Output output = profil("record --slice 1s -F 1000 -o " + file + " -- sh -c '" + burn +
				     " 1500 plain; " + burn + " 1500 fork'");

	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json json = report(file);
	const int seconds = static_cast<int>(json["duration_ns"].get<int64_t>() / 1000000000) + 1;
	std::map<std::string, uint64_t> whole = functions_in(file, ""), sum;
	int last_hot = -1, first_child = seconds;

	for (int second = 0; second < seconds; second++) {
		for (const auto &[function, samples] : functions_in(file, between(second, second + 1))) {
			sum[function] += samples;
			if (function == "burn_hot()")
				last_hot = second;
			if (function == "burn_child()")
				first_child = std::min(first_child, second);
		}
	}
	CHECK(sum == whole);
	CHECK(whole["burn_hot()"] > 0);
	CHECK(whole["burn_child()"] > 0);
	CHECK(last_hot <= first_child);
	CHECK(has(profil("report --from " + std::to_string(seconds) + " " + file).text, ": 0 samples"));
	/* Its HTML page has the map of time. */
	CHECK(has(profil("report --html - " + file + " | cat").text, "\"column_ms\":1000"));
}

TEST_CASE("of the files of a loop the last are kept", "[cli]")
{
	const TemporaryDirectory directory;
	const guest::Child burn = start({program("cli_burn"), "1000000"});
	const Output output = profil("record -p " + std::to_string(burn.pid()) +
				     " -d 6 --loop 1 --keep 2 -o '" + (directory / "p-%t.pb.gz") + "'");
	std::vector<std::string> files;

	INFO(output.text);
	REQUIRE(output.status == 0);
	for (const auto &entry : std::filesystem::directory_iterator(directory / ""))
		files.push_back(entry.path());
	REQUIRE(files.size() == 2);
	std::sort(files.begin(), files.end());
	/* They are the last ones that it has reported. */
	for (const std::string &file : files)
		CHECK(has(output.text, file));
	CHECK(output.text.rfind("p-") == output.text.rfind(std::filesystem::path(files[1]).filename()));
}
