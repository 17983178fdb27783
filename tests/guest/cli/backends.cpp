// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/backends.cpp  The module and perf events give the same rows. */
#include "tests/guest/cli/support.h"

using namespace cli_test;

namespace {

/** The significant differences between two recordings, one row per line. */
std::string differences(const std::string &base, const std::string &file)
{
	const Output output =
		profil("report --json --sort process,object,function --base " + base + " " + file);

	INFO(output.text);
	REQUIRE(output.status == 0);

	const Json json = parse_json(output.text);
	std::string all;

	REQUIRE_FALSE(json["rows"].empty());
	for (const Json &row : json["rows"])
		all += row["significant"] == true ? row.dump() + "\n" : "";
	return all;
}

/** Record with both backends, and compare. */
std::string differences_of(const std::string &arguments)
{
	const TemporaryDirectory directory;

	for (const std::string backend : {"module", "perf"}) {
		const Output output = profil("record --backend " + backend + " -o " + (directory / backend) +
					     " " + arguments);

		INFO(output.text);
		REQUIRE(output.status == 0);
		CHECK(has(output.text, "recording with perf events") == (backend == "perf"));
	}
	return differences(directory / "module", directory / "perf");
}

} // namespace

/* Needs virtual time: on a busy host a guest's timers are late, which biases the shares of time. */
TEST_CASE("the module and perf events give the same rows, but for chance", "[cli][icount]")
{
	constexpr int attempts = 3;
	const guest::Child threads = start({program("cli_burn"), "1000000", "threads"});
	const std::string burn = program("cli_burn") + " 1500";
	const std::string burn_static = program("cli_burn_static") + " 1500";

	for (const std::string &arguments :
	     {"-- " + burn, "-- sh -c '" + burn + "; " + burn_static + "'", "-- " + burn + " fork",
	      "-d 2 -p " + std::to_string(threads.pid()), "--name '^cli_burn' -- " + burn}) {
		std::string different;

		/* By chance, one comparison in a hundred reports a difference. */
		for (int i = 0; i < attempts && (!i || !different.empty()); i++)
			different = differences_of(arguments);
		CAPTURE(arguments);
		CHECK(different == "");
	}
	/* The comparison does find a real difference. */
	const TemporaryDirectory directory;

	REQUIRE(profil("record --backend module -o " + (directory / "hot") + " -- " + burn).status == 0);
	REQUIRE(profil("record --backend perf -o " + (directory / "child") + " -- " + burn + " fork")
			.status == 0);
	CHECK(has(differences(directory / "hot", directory / "child"), "burn_child"));
}
