// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/base/files.cpp  Opening files whose names come from others. */
#include "cli/base/files.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>

using namespace cli;

TEST_CASE("opening a file that is not regular has no effect on it", "[files]")
{
	const support::TemporaryDirectory directory;
	const std::string fifo = directory / "fifo", regular = directory / "regular";

	REQUIRE(!mkfifo(fifo.c_str(), 0600));
	const Fd file = open_regular(fifo);
	CHECK(file);
	/* If the FIFO had a reader, a writer could open it. */
	CHECK(!Fd(open(fifo.c_str(), O_WRONLY | O_NONBLOCK)));
	CHECK(errno == ENXIO);
	for (const std::string &path : {fifo, directory / "", std::string("/dev/null")})
		CHECK(fcntl(open_regular(path).get(), F_GETFL) & O_PATH);

	std::ofstream(regular) << "content";
	CHECK(*read_all(open_regular(regular).get(), regular) == "content");
	CHECK(!open_regular(directory / "none"));
	CHECK(errno == ENOENT);
}
