// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/killed.cpp  What remains of a recording that is killed, or whose disk is full. */
#include "tests/guest/cli/support.h"
#include "tests/guest/support/mounted.h"
#include "tests/support/terminal.h"

#include <filesystem>

using namespace cli_test;
namespace fs = std::filesystem;
using terminal_test::Terminal;

namespace {

/** The path in "the profile is in PATH instead". */
std::string rescued(const std::string &output)
{
	const std::string before = "the profile is in ";
	const size_t start = output.find(before);

	REQUIRE(start != output.npos);
	return output.substr(start + before.size(),
			     output.find(' ', start + before.size()) - start - before.size());
}

} // namespace

TEST_CASE("a recording that is killed leaves its last checkpoint, which report reads", "[cli][every-kernel]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz", part = file + ".part";
	const guest::Child burn = start({program("cli_burn"), "1000000"});
	const std::string pid = std::to_string(burn.pid());
	guest::Child record = start({profil_path(), "record", "--checkpoint", "1s", "-o", file, "-p", pid});

	REQUIRE(soon([&] { return fs::exists(part); }));
	kill(record.pid(), SIGKILL);
	CHECK(end_of(record) == 128 + SIGKILL);
	CHECK_FALSE(fs::exists(file));
	const Output output = profil("report --json " + part);

	INFO(output.text);
	REQUIRE(output.status == 0);
	const Json json = Json::parse(output.text);

	CHECK(json["samples"] > 0);
	CHECK(json["rows"][0]["function"] == "burn_hot()");
	/* A recording that ends before its first checkpoint has none to remove. */
	REQUIRE(profil("record -d 0.2 -o " + file + " -p " + pid).status == 0);
	CHECK(fs::exists(part));
}

TEST_CASE("a recording that ends well removes its checkpoint, which took no samples away", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p.pb.gz", part = file + ".part";
	const guest::Child burn = start({program("cli_burn"), "1000000"});
	const uint64_t before = counted_ticks();
	guest::Child record = start(
		{profil_path(), "record", "--checkpoint", "1s", "-o", file, "-p", std::to_string(burn.pid())},
		directory / "output");

	REQUIRE(soon([&] { return fs::exists(part); }));
	REQUIRE(samples_come(50));
	kill(record.pid(), SIGINT);
	CHECK(end_of(record) == 0);
	INFO(read_file(directory / "output"));
	CHECK_FALSE(fs::exists(part));
	CHECK(report(file)["samples"] == counted_ticks() - before);
}

TEST_CASE("on a full disk the profile goes to another directory, and the message says where", "[cli]")
{
	const guest::Mounted full("full", "tmpfs", "size=4k");
	const Output output =
		profil("record -o " + full.path() + "/p -- python3 -c 'sum(i * i for i in range(300000))'");

	INFO(output.text);
	CHECK(output.status == 1);
	CHECK(has(output.text, "/p: No space left on device: the profile is in "));
	CHECK(fs::is_empty(full.path()));
	const std::string kept = rescued(output.text);

	CHECK(report(kept)["samples"] > 0);
	fs::remove(kept);
}

TEST_CASE("where no directory has room, a user on the terminal can make room and try again", "[cli]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "p";
	Terminal terminal(250, 30);

	/*
	 * A limit on the size of files simulates a full disk; unlike that, it can be raised later.
	 */
	terminal.run("ulimit -S -f 1; " + profil_path() + " record -o " + file +
		     " -- python3 -c 'sum(i * i for i in range(300000))'");
	REQUIRE(terminal.shows("press Enter to try again"));
	CHECK_FALSE(fs::exists(file));
	REQUIRE(run("prlimit --fsize=unlimited --pid $(pgrep -x profil)").status == 0);
	terminal.press("Enter");
	CHECK(soon([&] { return fs::exists(file); }));
	CHECK(report(file)["samples"] > 0);
}
