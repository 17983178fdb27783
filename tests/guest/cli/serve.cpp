// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/serve.cpp  Profiles on request over HTTP. */
#include "tests/guest/cli/support.h"
#include "tests/support/served.h"

#include <filesystem>
#include <optional>
#include <regex>

using namespace cli_test;
using support::Served;

TEST_CASE("a client gets a profile of the requested time, and nothing is profiled without a request",
	  "[cli][serve]")
{
	const guest::Child burn = start({program("cli_burn"), "1000000"});
	Served served({"-p", std::to_string(burn.pid())});

	CHECK(nothing_is_profiled());
	const Output answer = served.get("profile?seconds=2");

	INFO(answer.text << served.output());
	REQUIRE(answer.text == "200");
	const Json json = report(served.file());

	CHECK(hottest(json) == "burn_hot()");
	CHECK(json["duration_ns"] >= 2000000000);
	CHECK(soon(nothing_is_profiled));
	CHECK(served.end() == 0);
}

TEST_CASE("a served profile has a type for each event, and the first one is its default",
	  "[cli][serve][source]")
{
	HeldProgram held("cli_events");
	guest::Child switching([] {
		for (;;)
			usleep(1000);
	});
	Served served({"-e", "page-faults,cs:2", "-p",
		       std::to_string(held.pid()) + "," + std::to_string(switching.pid())});
	const uint64_t before = counted_ticks();
	guest::Child client([&] { _exit(served.get("profile?seconds=600").text == "200" ? 0 : 1); });

	/* The event for context switches is attached last. */
	REQUIRE(soon([&] { return counted_ticks() >= before + 5; }));
	held.go();
	CHECK(held.end() == 0);
	kill(switching.pid(), SIGKILL);
	switching.reap();
	CHECK(end_of(client) == 0);
	INFO(served.output());
	CHECK(values_of(served.file(), "page-faults").at("fill_pages") == 10'000);
	CHECK(values_of(served.file(), "page-faults").at("read_pages") == 5000);
	CHECK(values_of(served.file(), "cs").at("schedule") >= 10);
	CHECK(values_of(served.file(), "cs").at("schedule") % 2 == 0);

	const std::string text = run("gzip -dc " + served.file() +
				     " | protoc --decode=perftools.profiles.Profile "
				     "tests/host/data/profile.proto | grep -A 999999 string_table")
					 .text;
	std::smatch chosen;

	REQUIRE(std::regex_search(text, chosen, std::regex("default_sample_type: ([0-9]+)")));
	size_t at = text.find("string_table: ");

	for (int left = std::stoi(chosen[1]); left > 0; left--)
		at = text.find("string_table: ", at + 1);
	CHECK(text.substr(at).starts_with("string_table: \"page-faults\"\n"));
	CHECK(served.end() == 0);
	CHECK(soon(nothing_is_profiled));
}
