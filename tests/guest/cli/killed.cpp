// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/killed.cpp  What remains of a recording that is saved now and then, or whose disk is
 * full. */
#include "tests/guest/cli/support.h"
#include "tests/guest/support/mounted.h"

#include <filesystem>

using namespace cli_test;
namespace fs = std::filesystem;

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
