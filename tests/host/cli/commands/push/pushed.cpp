// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/push/pushed.cpp  Profiles that are pushed while they are recorded. */
#include "tests/host/cli/recorded.h"
#include "tests/support/collector.h"

#include <optional>

using namespace support;

TEST_CASE("a profile is pushed at each interval and at the end", "[perf][recorded][push]")
{
	need_perf();

	const Collector collector;
	const Child burn = burner();
	const TemporaryDirectory directory;
	Child push = start({profil_path(), "push", "--backend", "perf", "--to", collector.url(), "--interval",
			    "1s", "--label", "env=test", "-p", std::to_string(burn.pid())},
			   directory / "output");

	REQUIRE(soon([&] { return collector.bodies().size() >= 2; }));
	kill(push.pid(), SIGINT);

	const int status = end_of(push);
	const std::string output = read_file(directory / "output");
	const std::vector<std::string> bodies = collector.bodies();

	INFO(output);
	CHECK(status == 0);
	CHECK(has(output, std::to_string(bodies.size()) + " profiles sent to " + collector.url()));
	for (const std::string &body : bodies) {
		const std::string text = decoded(body);

		CHECK(has(text, "name: \"service_name\"\n    value: \"cli_burn\""));
		CHECK(has(text, "name: \"env\"\n    value: \"test\""));
		CHECK(has(text, "raw_profile: \"\\037\\213"));
	}
}

TEST_CASE("a profile that the server cannot take now is sent again later, and none is lost",
	  "[perf][recorded][push]")
{
	need_perf();

	const Collector collector({"503", "503"});
	const Child burn = burner();
	const TemporaryDirectory directory;
	Child push = start({profil_path(), "push", "--backend", "perf", "--to", collector.url(), "--interval",
			    "1s", "-p", std::to_string(burn.pid())},
			   directory / "output");

	REQUIRE(soon([&] { return collector.bodies().size() >= 2; }));
	kill(push.pid(), SIGINT);

	const int status = end_of(push);
	const std::string output = read_file(directory / "output");

	INFO(output);
	CHECK(status == 0);
	CHECK(has(output, "503"));
	CHECK_FALSE(has(output, "lost:"));
	CHECK(has(output, std::to_string(collector.bodies().size()) + " profiles sent to "));
}

TEST_CASE("a profile that the server refuses is reported as lost, with status 1", "[perf][recorded][push]")
{
	need_perf();

	const Collector collector({"400"});
	const Output output = profil("push --backend perf --to " + collector.url() + " --interval 1h -- " +
				     program("cli_burn") + " 300");

	INFO(output.text);
	CHECK(output.status == 1);
	CHECK(has(output.text, "400"));
	CHECK(has(output.text,
		  "1 profile lost: 1 refused by the server, 0 dropped for lack of room, 0 unsent at "
		  "the end, 0 not expressible in the format"));
	CHECK(collector.bodies().empty());
}
