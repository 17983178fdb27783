// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/serve/served.cpp  Profiles on request over HTTP. */
#include "tests/support/served.h"
#include "tests/host/cli/recorded.h"

#include <optional>

using namespace support;

TEST_CASE("two concurrent clients each get all samples", "[perf][recorded][serve]")
{
	need_perf();

	const Child burn = burner();
	Served served({"--backend", "perf", "--name", "^cli_burn$"});
	Child other([&] { _exit(served.get("profile?seconds=5", "other").text == "200" ? 0 : 1); });

	REQUIRE(soon([&] { return has_attached(served.process()); }));
	CHECK(served.get("profile?seconds=1").text == "200");
	CHECK(end_of(other) == 0);
	for (const char *file : {"answer", "other"})
		CHECK(report(served.file(file))["rows"][0]["function"] == "burn_hot()");
	CHECK(served.end() == 0);
}

TEST_CASE("an ended process gives an error with its reason, and later requests are served",
	  "[perf][recorded][serve]")
{
	need_perf();

	std::optional<Child> burn(start({program("cli_burn"), "1000000"}));
	const std::string pid = std::to_string(burn->pid());
	Served served({"--backend", "perf", "-p", pid});

	burn.reset();
	CHECK(served.get("profile?seconds=1").text == "500");
	CHECK(has(read_file(served.file()), "pid " + pid));
	CHECK(has(read_file(served.file()), "there is no such process"));
	CHECK(served.get("").text == "200");
	CHECK(served.end() == 0);
}

TEST_CASE("a client that waits when the server ends gets the samples so far", "[perf][recorded][serve]")
{
	need_perf();

	const Child burn = burner();
	Served served({"--backend", "perf", "-p", std::to_string(burn.pid())});
	Child client([&] { _exit(served.get("profile?seconds=600").text == "200" ? 0 : 1); });

	REQUIRE(samples_come(served.process(), burn.pid(), 50));
	CHECK(served.end() == 0);
	CHECK(end_of(client) == 0);
	CHECK(report(served.file())["rows"][0]["function"] == "burn_hot()");
}

TEST_CASE("a server does not start for an event that the machine cannot sample", "[perf][recorded][serve]")
{
	need_perf();

	const Output output =
		profil("serve --backend perf --listen 127.0.0.1:0 -e page-faults,mem:0x1:rwx -p " +
		       std::to_string(getpid()));

	INFO(output.text);
	CHECK(output.status == 1);
	CHECK(has(output.text, "profil serve: event 'mem:0x1:rwx': "));
}
