// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/cli/top.cpp  profil top accounts for all samples. */
#include "tests/guest/cli/support.h"
#include "tests/support/frames.h"

using namespace cli_test;
using support::count;
using support::numbers_before;

TEST_CASE("each frame of top accounts for every tick and every sample", "[cli][top]")
{
	const guest::Child burn = start({program("cli_burn"), "1000000"});
	const Output output = profil("top --batch -n 3 --limit 1000 -p " + std::to_string(burn.pid()));

	INFO(output.text);
	REQUIRE(output.status == 0);
	for (size_t at = 0, next = 0; at < output.text.size(); at = next) {
		next = std::min(output.text.find("profil top: ", at + 1), output.text.size());

		const std::string frame = output.text.substr(at, next - at);
		uint64_t rows = 0;
		uint64_t causes = 0;

		for (const uint64_t samples : numbers_before(frame, "^ *[0-9,]+ +[0-9]+\\.[0-9]{2} +[^%]"))
			rows += samples;
		for (const uint64_t ticks :
		     numbers_before(frame, "^ *[0-9,]+ +[0-9.]+ %  (counted|lost|in|at|while)"))
			causes += ticks;
		REQUIRE(numbers_before(frame, "ticks of the clock").size() == 1);
		CHECK(causes == numbers_before(frame, "ticks of the clock")[0]);
		REQUIRE(numbers_before(frame, "%  counted").size() == 1);
		CHECK(rows == numbers_before(frame, "%  counted")[0]);
	}
}

TEST_CASE("top --batch ends with its targets and its last frame has all samples", "[cli][top]")
{
	const TemporaryDirectory directory;
	const std::string file = directory / "frames";
	/* The process may still have ticks in the kernel for a while after its end was reported. */
	const uint64_t before = guest::module_ticks("counted");
	guest::Child burn = start({program("cli_burn"), "1000000"});
	guest::Child top = start({profil_path(), "top", "--user-only", "--batch", "-d", "1h", "-p",
				  std::to_string(burn.pid())},
				 file);

	REQUIRE(soon([&] { return guest::module_ticks("counted") >= before + 100; }));
	kill(burn.pid(), SIGKILL);
	burn.reap();
	const int status = end_of(top);
	const std::string text = read_file(file);

	INFO(text);
	REQUIRE(status == 0);
	CHECK(count(text, "profil top: ") == 1);
	REQUIRE(numbers_before(text, "%  counted").size() == 1);
	CHECK(numbers_before(text, "%  counted")[0] == guest::module_ticks("counted") - before);
}
