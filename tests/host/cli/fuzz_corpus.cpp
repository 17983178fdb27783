// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/fuzz_corpus.cpp  The corpus of the reader's fuzzer: its seeds, and files that it
 * found. */
#include "cli/base/files.h"
#include "tests/fuzz/reader/read_profile.h"
#include "tests/support/catch.h"

#include <filesystem>

TEST_CASE("every file of the fuzzer's corpus is read, or refused", "[cli][corpus]")
{
	size_t profiles = 0;
	size_t refused = 0;

	for (const auto &entry : std::filesystem::directory_iterator("tests/fuzz/reader/data")) {
		const cli::Result<std::string> content = cli::read_file(entry.path());

		CAPTURE(entry.path());
		REQUIRE(content);
		(fuzz::read_profile(*content) ? profiles : refused)++;
	}
	CHECK(profiles >= 10);
	CHECK(refused >= 5);
}
