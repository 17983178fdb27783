// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/killed.cpp  A recording that is saved at intervals (--checkpoint). */
#include "tests/guest/cli/support.h"

#include <filesystem>

using namespace cli_test;
namespace fs = std::filesystem;

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
