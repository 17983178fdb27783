// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/parts.cpp  Recordings in parts, each in a file of its own. */
#include "tests/guest/cli/support.h"
#include "tests/support/files.h"

#include <filesystem>
#include <optional>
#include <sstream>

using namespace cli_test;

namespace {

/** How long a profile's only event was enabled, in ns. */
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
			CHECK(hottest(json) == "burn_hot()");
		samples += json["samples"].get<uint64_t>();
	}
	CHECK(samples == counted_ticks() - before);
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
		return has(read_file(directory / "output"), "its samples will be in the next file");
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
		return has(read_file(directory / "output"), "its samples will be in the next file");
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

	/* In all files, the event was enabled on each CPU for no longer than the recording ran. */
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
