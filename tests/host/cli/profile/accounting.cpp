// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/profile/accounting.cpp  The accounting of ticks, and of those since an earlier time.
 */
#include "cli/profile/accounting.h"
#include "tests/support/catch.h"

using namespace cli;

TEST_CASE("ticks since an earlier time are divided by their cause", "[cli]")
{
	profil_status status = {};

	status.ticks = 100;
	status.counted = 60;
	status.kernel = 30;
	status.lost_late = 10;
	status.forks_lost = 1;

	Accounting early;
	Accounting late;

	early.add(status);
	late.add(status);
	status.ticks = 7;
	status.counted = 4;
	status.kernel = 2;
	status.lost_late = 0;
	status.lost_contended = 1;
	status.forks_lost = 2;
	late.add(status);

	const Accounting between = late.since(early);
	uint64_t sum = 0;

	CHECK(between.ticks == 7);
	CHECK(between.counted == 4);
	CHECK(between.kernel == 2);
	CHECK(between.lost_late == 0);
	CHECK(between.lost_contended == 1);
	CHECK(between.lost() == 1);
	CHECK(between.forks_lost == 2);
	for (const Cause &cause : all_causes())
		sum += between.*cause.member;
	CHECK(sum == between.ticks);
	CHECK(late.since(late) == Accounting());
}

TEST_CASE("lost ticks of other processes are no part of the account of a selection", "[cli]")
{
	Accounting mine;

	mine.ticks = 1'000;
	mine.counted = 900;
	mine.kernel = 100;
	mine.lost_unowned = 4'000;
	CHECK(mine.lost() == 0);
	CHECK(accounting_line(mine) == "1,000 ticks: 90.00 % counted, 10.00 % in the kernel, not counted "
				       "(--user-only); 4,000 lost, process "
				       "unknown (of the whole machine)");
	CHECK(accounting_lines(mine) ==
	      std::vector<std::string>{"1,000  100.00 %  ticks of the clock", "  900   90.00 %  counted",
				       "  100   10.00 %  in the kernel, not counted (--user-only)",
				       "4,000            lost, process unknown (of the whole machine)"});

	Accounting both = mine;

	both.add(mine);
	CHECK(both.lost_unowned == 8'000);
	CHECK(both.since(mine) == mine);

	/* The processes that match may have used no CPU time. */
	mine = {};
	mine.lost_unowned = 4'000;
	CHECK(accounting_line(mine) == "0 ticks; 4,000 lost, process unknown (of the whole machine)");
	CHECK(accounting_lines(mine) ==
	      std::vector<std::string>{"4,000 lost, process unknown (of the whole machine)"});
}

TEST_CASE("samples are of so many processes, or of all", "[cli]")
{
	Accounting accounting;

	CHECK(processes_text(1, accounting) == "1 process");
	CHECK(processes_text(2, accounting) == "2 processes");
	accounting.cpu_ms = 1000;
	CHECK(processes_text(2, accounting) == "all processes");
}

TEST_CASE("the account in a line has every cause that has ticks", "[cli]")
{
	Accounting accounting;

	CHECK(accounting_line(accounting) == "0 ticks");
	accounting.ticks = 10'000;
	accounting.counted = 9'000;
	accounting.lost_late = 1'000;
	CHECK(accounting_line(accounting) ==
	      "10,000 ticks: 90.00 % counted, 10.00 % lost: the clock was late");
	accounting.forks_lost = 2;
	accounting.cpu_ms = 2'000;
	accounting.idle_ms = 500;
	CHECK(accounting_line(accounting) ==
	      "10,000 ticks: 90.00 % counted, 10.00 % lost: the clock was late, 2 children not followed; "
	      "25.00 % of CPU time was idle");
}
