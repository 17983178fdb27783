// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/parts.cpp  Recordings in parts: several files, snapshots, and a delayed
 * start.
 */
#include "tests/guest/cli/support.h"
#include "tests/support/terminal.h"

#include <filesystem>
#include <optional>
#include <set>
#include <sstream>

using namespace cli_test;
using terminal_test::Terminal;

namespace {

std::vector<std::string> files_in(const TemporaryDirectory &directory)
{
	std::set<std::string> files;

	for (const auto &entry : std::filesystem::directory_iterator(directory / ""))
		files.insert(entry.path());
	return {files.begin(), files.end()};
}

/** How long a profile's only event was enabled. */
uint64_t enabled_ns_in(const std::string &file)
{
	const std::string key = "profil.event: ";
	const std::string text =
		run("gzip -dc " + file +
		    " | protoc --decode=perftools.profiles.Profile tests/host/data/profile.proto")
			.text;
	const size_t at = text.find(key);

	INFO(text);
	REQUIRE(at != text.npos);

	std::istringstream words(text.substr(at + key.size()));
	uint64_t period = 0, missed = 0, throttled = 0, enabled = 0;

	words >> period >> missed >> throttled >> enabled;
	REQUIRE(words);
	return enabled;
}

} // namespace

TEST_CASE("with --loop every sample is in exactly one file", "[cli][parts]")
{
	const TemporaryDirectory directory;
	const TemporaryDirectory messages;
	const guest::Child burn = start({program("cli_burn"), "1000000"});
	const uint64_t before = counted_ticks();
	guest::Child record = start({profil_path(), "record", "--loop", "2s", "-o",
				     directory / "%h-%p-%t.pb.gz", "-p", std::to_string(burn.pid())},
				    messages / "output");

	REQUIRE(soon([&] { return files_in(directory).size() >= 3; }));
	kill(record.pid(), SIGINT);
	REQUIRE(end_of(record) == 0);

	uint64_t samples = 0;

	INFO(read_file(messages / "output"));
	for (const std::string &file : files_in(directory)) {
		const Json json = report(file);

		CAPTURE(file);
		CHECK(has(file, "-" + std::to_string(burn.pid()) + "-20"));
		if (json["samples"] > 100)
			CHECK(json["rows"][0]["function"] == "burn_hot()");
		samples += json["samples"].get<uint64_t>();
	}
	CHECK(samples == counted_ticks() - before);
}

TEST_CASE("with --loop the progress line shows the time and samples of the current part", "[cli][parts]")
{
	const TemporaryDirectory directory;
	const guest::Child burn = start({program("cli_burn"), "1000000"});
	Terminal terminal(120, 30);

	terminal.run(profil_path() + " record --loop 4s -o " + (directory / "%t.pb.gz") + " -p " +
		     std::to_string(burn.pid()));
	for (size_t files = 1; files <= 3; files++) {
		REQUIRE(soon([&] { return files_in(directory).size() >= files; }));
		REQUIRE(terminal.shows("(Ctrl-C ends)"));

		const std::string screen = terminal.screen();
		const size_t line = screen.rfind('\n', screen.rfind("(Ctrl-C ends)")) + 1;

		CAPTURE(screen);
		CHECK(std::stod(screen.substr(line)) < 7);
	}
	terminal.press("C-c");
	CHECK(terminal.shows("ready:"));
}

TEST_CASE("SIGUSR1 writes the samples so far and the recording goes on", "[cli][parts]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const guest::Child burn = start({program("cli_burn"), "1000000"});
	guest::Child record =
		start({profil_path(), "record", "--snapshot", "-o", file, "-p", std::to_string(burn.pid())});

	REQUIRE(samples_come(200));
	kill(record.pid(), SIGUSR1);
	REQUIRE(soon([&] { return std::filesystem::exists(file); }));

	const uint64_t early = report(file)["samples"];

	CHECK(early > 0);
	REQUIRE(samples_come(200));
	kill(record.pid(), SIGINT);
	CHECK(end_of(record) == 0);
	CHECK(report(file)["samples"] >= early + 200);
}

TEST_CASE("a command keeps the default action of SIGUSR1", "[cli][parts]")
{
	const TemporaryDirectory directory;
	const Output output = profil("record --snapshot -o " + (directory / "p") +
				     " -- sh -c 'kill -USR1 $$; echo not reached'");

	CHECK(output.status == 128 + SIGUSR1);
	CHECK_FALSE(has(output.text, "not reached"));
	CHECK(has(output.text, "was killed by SIGUSR1"));
}

TEST_CASE("the time before --delay is not recorded", "[cli][parts]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const guest::Child burn = start({program("cli_burn"), "1000000"});
	const std::string target = " -o " + file + " -p " + std::to_string(burn.pid());
	const uint64_t before = counted_ticks();
	const Output output = profil("record -D 1500 -d 1" + target);

	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json json = report(file);

	CHECK(json["duration_ns"] >= 1000000000);
	CHECK(json["samples"] > 0);
	CHECK(json["samples"] < counted_ticks() - before);
}

TEST_CASE("a command that ends within the delay has an empty profile", "[cli][parts]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const Output output = profil("record -D 100000 -o " + file + " -- " + program("cli_burn") + " 100");

	INFO(output.text);
	CHECK(output.status == 0);
	CHECK(report(file)["samples"] == 0);
	CHECK(has(output.text, "0 samples of"));
}

TEST_CASE("a part that cannot be written goes into the next file", "[cli][parts]")
{
	const TemporaryDirectory directory;
	const std::string parts = directory / "parts";

	std::filesystem::create_directory(parts);

	const guest::Child burn = start({program("cli_burn"), "1000000"});
	const uint64_t before = counted_ticks();
	guest::Child record = start({profil_path(), "record", "--loop", "1s", "-o", parts + "/%t.pb.gz", "-p",
				     std::to_string(burn.pid())},
				    directory / "output");

	REQUIRE(samples_come(50));
	std::filesystem::rename(parts, parts + "-gone");
	REQUIRE(soon([&] {
		return has(read_file(directory / "output"), "the next file will have these samples");
	}));
	std::filesystem::rename(parts + "-gone", parts);
	REQUIRE(samples_come(50));
	kill(record.pid(), SIGINT);
	CHECK(end_of(record) == 0);

	uint64_t samples = 0;

	INFO(read_file(directory / "output"));
	for (const auto &entry : std::filesystem::directory_iterator(parts))
		samples += report(entry.path())["samples"].get<uint64_t>();
	CHECK(samples == counted_ticks() - before);
}

TEST_CASE("a part that cannot be written has the samples of its threads in the next file", "[cli][parts]")
{
	const TemporaryDirectory directory;
	const std::string parts = directory / "parts";

	std::filesystem::create_directory(parts);

	const guest::Child burn = start({program("cli_burn"), "1000000", "pair"});
	guest::Child record = start({profil_path(), "record", "--per-thread", "--loop", "1s", "-o",
				     parts + "/%t.pb.gz", "-p", std::to_string(burn.pid())},
				    directory / "output");

	REQUIRE(samples_come(50));
	std::filesystem::rename(parts, parts + "-gone");
	REQUIRE(soon([&] {
		return has(read_file(directory / "output"), "the next file will have these samples");
	}));
	std::filesystem::rename(parts + "-gone", parts);
	REQUIRE(samples_come(50));
	kill(record.pid(), SIGINT);
	CHECK(end_of(record) == 0);
	INFO(read_file(directory / "output"));
	for (const auto &entry : std::filesystem::directory_iterator(parts)) {
		CAPTURE(entry.path());
		CHECK(samples_by_thread(entry.path()) == report(entry.path())["samples"].get<uint64_t>());
	}
}

TEST_CASE("with --loop each file says what became of the event in its own part", "[cli][parts]")
{
	constexpr uint64_t ns_per_second = 1'000'000'000;
	const TemporaryDirectory directory;
	const guest::Child burn = start({program("cli_burn"), "1000000"});
	timespec begin = {}, end = {};

	clock_gettime(CLOCK_MONOTONIC, &begin);
	guest::Child record = start({profil_path(), "record", "-e", "page-faults", "--loop", "2s", "-o",
				     directory / "%t.pb.gz", "-p", std::to_string(burn.pid())});

	REQUIRE(soon([&] { return files_in(directory).size() >= 6; }));
	kill(record.pid(), SIGINT);
	const int status = end_of(record);
	clock_gettime(CLOCK_MONOTONIC, &end);

	/* In all files together, it was enabled on each CPU for no longer than it was recorded. */
	const uint64_t most = static_cast<uint64_t>(sysconf(_SC_NPROCESSORS_CONF)) *
			      (static_cast<uint64_t>(end.tv_sec - begin.tv_sec) + 1) * ns_per_second;
	uint64_t enabled = 0, samples = 0;

	for (const std::string &file : files_in(directory)) {
		enabled += enabled_ns_in(file);
		samples += report(file)["samples"].get<uint64_t>();
	}
	CHECK(enabled > 0);
	CHECK(enabled <= most);
	/* The process may have had no page fault: then nothing was recorded. */
	CHECK(status == (samples ? 0 : 1));
}

TEST_CASE("with --per-process samples have the name and the PID of their process", "[cli][parts]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz";
	const Output output =
		profil("record --per-process -o " + file + " -- " + program("cli_burn") + " 1000 fork");

	INFO(output.text);
	REQUIRE(output.status == 0);

	const Output decoded =
		run("gzip -dc " + file +
		    " | protoc --decode=perftools.profiles.Profile tests/host/data/profile.proto");

	CHECK(has(decoded.text, "string_table: \"burn_child()\""));
	CHECK(has(decoded.text, "string_table: \"process\""));
	CHECK(has(decoded.text, "string_table: \"cli_burn\""));

	/* Every sample belongs to one of the two processes, and both have samples. */
	std::set<std::string> pids;
	std::istringstream text(decoded.text);

	for (std::string line; std::getline(text, line);) {
		if (has(line, "    num: "))
			pids.insert(line);
	}
	CHECK(pids.size() == 2);
}
