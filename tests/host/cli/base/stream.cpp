// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/base/stream.cpp  Standard streams that are closed, full, or have hung up. */
#include "cli/base/fd.h"
#include "cli/recording/progress.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>

using support::run;

namespace {

int status_of(const std::string &arguments)
{
	return run(support::build_dir() + "/profil " + arguments).status;
}

/** Makes standard error a terminal during its lifetime, or until hang_up(). */
class Terminal {
public:
	Terminal() : master_(posix_openpt(O_RDWR | O_NOCTTY)), before_(dup(STDERR_FILENO))
	{
		REQUIRE_FALSE(grantpt(master_.get()));
		REQUIRE_FALSE(unlockpt(master_.get()));
		const cli::Fd slave(open(ptsname(master_.get()), O_RDWR | O_NOCTTY));

		REQUIRE(dup2(slave.get(), STDERR_FILENO) == STDERR_FILENO);
	}
	~Terminal() { dup2(before_.get(), STDERR_FILENO); }

	void hang_up() { master_.close(); }

private:
	cli::Fd master_;
	cli::Fd before_;
};

} // namespace

TEST_CASE("messages that nobody can read do not change the exit status", "[cli]")
{
	for (const std::string where : {" 2>/dev/full", " 2>&-", " 2>&- <&- >&-"}) {
		CAPTURE(where);
		CHECK(status_of("bogus" + where) == 2);
		CHECK(status_of("record" + where) == 2);
		CHECK(status_of("report nofile" + where) == 1);
		CHECK(status_of("record -o /no/such/place/file -p 1" + where) == 1);
		CHECK(status_of(where) == 2);
	}
}

TEST_CASE("progress shows the CPU time that its ticks need, where it is known", "[cli]")
{
	cli::Progress progress = {61, 1, {}, std::nullopt};

	progress.accounting.counted = 12345;
	progress.accounting.lost_late = 2;
	CHECK(cli::progress_text(progress) == "61.0 s  1 process  12,345 samples  2 lost  (Ctrl-C ends)");
	progress.cpu_percent = 0.124;
	CHECK(cli::progress_text(progress) ==
	      "61.0 s  1 process  12,345 samples  2 lost  0.12 % of a CPU  (Ctrl-C ends)");
}

TEST_CASE("a console outlives its terminal", "[cli]")
{
	Terminal terminal;
	cli::Console console("test");

	CHECK(console.shows_progress());
	console.progress({1, 1, {}, {}});
	terminal.hang_up();
	CHECK_NOTHROW(console.progress({1, 1, {}, {}}));
	CHECK_NOTHROW(console.say("text"));
	CHECK_NOTHROW(console.detail("text"));
	CHECK_NOTHROW(console.progress({1, 1, {}, {}}));
}
