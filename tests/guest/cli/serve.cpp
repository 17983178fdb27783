// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/serve.cpp  Profiles on request over HTTP. */
#include "tests/guest/cli/support.h"

#include <filesystem>
#include <optional>
#include <regex>

using namespace cli_test;

namespace {

/** A profil serve of one process, on a new socket. */
class Served {
public:
	explicit Served(const std::vector<std::string> &what)
	{
		std::vector<std::string> arguments = {profil_path(), "serve", "--listen", "unix:" + socket_};

		arguments.insert(arguments.end(), what.begin(), what.end());
		serve_.emplace(start(arguments, directory_ / "output"));
		REQUIRE(soon([&] { return has(output(), "answers /debug/pprof/profile"); }));
	}

	[[nodiscard]] std::string output() const { return read_file(directory_ / "output"); }

	/** Fetch a path into a file.  The text is the HTTP status. */
	Output get(const std::string &path, const std::string &file = "answer") const
	{
		return run("curl -sS --unix-socket " + socket_ + " -o " + (directory_ / file) +
			   " -w '%{http_code}' http://localhost/debug/pprof/" + path);
	}

	[[nodiscard]] std::string file(const std::string &name = "answer") const { return directory_ / name; }

	int end()
	{
		kill(serve_->pid(), SIGTERM);
		return end_of(*serve_);
	}

private:
	TemporaryDirectory directory_;
	std::string socket_ = directory_ / "socket";
	std::optional<guest::Child> serve_;
};

} // namespace

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

	CHECK(json["rows"][0]["function"] == "burn_hot()");
	CHECK(json["duration_ns"] >= 2000000000);
	CHECK(soon(nothing_is_profiled));
	CHECK(served.end() == 0);
}

TEST_CASE("two concurrent clients each get all samples", "[cli][serve]")
{
	const guest::Child burn = start({program("cli_burn"), "1000000"});
	Served served({"--name", "^cli_burn$"});
	guest::Child other([&] { _exit(served.get("profile?seconds=5", "other").text == "200" ? 0 : 1); });

	REQUIRE(soon([&] { return guest::module_stat("profiles") == 1; }));
	CHECK(served.get("profile?seconds=1").text == "200");
	CHECK(end_of(other) == 0);
	for (const char *file : {"answer", "other"})
		CHECK(report(served.file(file))["rows"][0]["function"] == "burn_hot()");
	CHECK(served.end() == 0);
}

TEST_CASE("an ended process gives an error with its reason, and later requests are served", "[cli][serve]")
{
	std::optional<guest::Child> burn(start({program("cli_burn"), "1000000"}));
	const std::string pid = std::to_string(burn->pid());
	Served served({"-p", pid});

	burn.reset();
	CHECK(served.get("profile?seconds=1").text == "500");
	CHECK(has(read_file(served.file()), "pid " + pid));
	CHECK(has(read_file(served.file()), "there is no such process"));
	CHECK(served.get("").text == "200");
	CHECK(served.end() == 0);
}

TEST_CASE("a client that waits when the server ends gets the samples so far", "[cli][serve]")
{
	const guest::Child burn = start({program("cli_burn"), "1000000"});
	Served served({"-p", std::to_string(burn.pid())});
	guest::Child client([&] { _exit(served.get("profile?seconds=600").text == "200" ? 0 : 1); });

	REQUIRE(samples_come(50));
	CHECK(served.end() == 0);
	CHECK(end_of(client) == 0);
	CHECK(report(served.file())["rows"][0]["function"] == "burn_hot()");
	CHECK(soon(nothing_is_profiled));
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

	/* The event for switches is attached last. */
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

TEST_CASE("a server does not start for an event that the machine cannot sample", "[cli][serve][source]")
{
	const Output output = profil("serve --listen 127.0.0.1:0 -e page-faults,mem:0x1:rwx -p " +
				     std::to_string(getpid()));

	INFO(output.text);
	CHECK(output.status == 1);
	CHECK(has(output.text, "profil serve: event 'mem:0x1:rwx': "));
}
