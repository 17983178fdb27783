// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/commands/list/list.cpp  The table of profil list. */
#include "cli/commands/list/list.h"
#include "tests/support/catch.h"

using namespace cli;

namespace {

std::string listed(const std::string &names)
{
	const std::string text = list_text(*parse_events(names));

	return text.substr(0, text.find("\n\nA name may be followed ") + 1);
}

} // namespace

TEST_CASE("events are listed with what is sampled of them", "[cli][events]")
{
	CHECK(listed("cycles,page-faults") ==
	      R"(event                                     sampled by default  needs
cycles or cpu-cycles                      1 in 1,000,003      CAP_PERFMON
page-faults or faults                     every event

mem:0x601040[/4][:rw], on x86             every event         CAP_PERFMON
rNNN, a raw event of the CPU              1 in 1,000,003      CAP_PERFMON
PMU/TERM=N,.../                           1 in 1,000,003      CAP_PERFMON
system:tracepoint                         every event         CAP_PERFMON
)");
}

TEST_CASE("the column of events is as wide as the longest of them", "[cli][events]")
{
	CHECK(listed("stalled-cycles-frontend,context-switches,stalled-cycles-backend") ==
	      R"(event                                            sampled by default  needs
stalled-cycles-frontend or idle-cycles-frontend  1 in 1,000,003      CAP_PERFMON
context-switches or cs                           every event
stalled-cycles-backend or idle-cycles-backend    1 in 1,000,003      CAP_PERFMON

mem:0x601040[/4][:rw], on x86                    every event         CAP_PERFMON
rNNN, a raw event of the CPU                     1 in 1,000,003      CAP_PERFMON
PMU/TERM=N,.../                                  1 in 1,000,003      CAP_PERFMON
system:tracepoint                                every event         CAP_PERFMON
)");
}
