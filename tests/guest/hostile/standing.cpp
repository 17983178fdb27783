// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/hostile/standing.cpp  Sessions that record a user's blocked process are not
 * blocked by it.
 */
#include "tests/guest/hostile/targets.h"

#include <csignal>
#include <unistd.h>

using namespace guest;
using namespace guest::hostile;

namespace {

/** Runs a session's command on a blocked target; the command must not wait. */
void check_command(const char *name, const std::function<void(const Device &, uint32_t profile)> &command)
{
	const PerfForUsers users;

	for (const Standstill &kind : standstills) {
		if (kind.needs_fuse && !support::fuse_available())
			continue;
		const Gate recorded, still;
		const auto target = kind.make();
		Child session([&] {
			const Device device;
			const Memory table(page);
			const auto profile = record(device, target->pid(), table, PROFIL_FOLLOW);

			recorded.open();
			still.wait();
			command(device, profile);
		});
		recorded.wait();
		target->stand_still();
		still.open();
		CAPTURE(name, kind.name);
		CHECK(ends(session));
		CHECK(kill(target->pid(), 0) == 0);
		target->let_go();
		CHECK(session.reap() == 0);
	}
}

} // namespace

TEST_CASE_METHOD(AtRest, "the status of a process that stands still does not wait for it", "[hostile]")
{
	check_command("status", [](const Device &device, uint32_t profile) {
		need_that(device.status(profile).processes == 1, "the target is followed");
	});
}

TEST_CASE_METHOD(AtRest,
		 "another table for the recording of a process that stands still does not wait for it",
		 "[hostile]")
{
	check_command("table", [](const Device &device, uint32_t profile) {
		const Memory other(page);

		need_that(change_table(device, profile, other.at()) == 0, "PROFIL_TABLE");
	});
}

TEST_CASE_METHOD(AtRest, "stopping the recording of a process that stands still does not wait for it",
		 "[hostile]")
{
	check_command("stop", [](const Device &device, uint32_t profile) { device.stop(profile); });
}

TEST_CASE_METHOD(AtRest, "closing a session whose target stands still does not wait for it", "[hostile]")
{
	check_command("close", [](const Device &device, uint32_t) {
		need(::close(device.fd()), "close");
		need_that(soon([] { return nothing_counts(); }), "the recording has ended");
	});
}

TEST_CASE_METHOD(AtRest, "PROFIL_STOP_ALL does not wait for a recorded process that is stopped or blocked",
		 "[hostile]")
{
	check_command("stop all", [](const Device &device, uint32_t profile) {
		stop_all();
		need_that(device.status(profile).state == PROFIL_STATE_STOPPED, "the recording is stopped");
	});
}

TEST_CASE_METHOD(AtRest, "a session that follows a process that stands still can be killed", "[hostile]")
{
	check_command("suicide", [](const Device &, uint32_t) {
		const pid_t pid = fork();

		/* Either process may be the last user of its memory or of its session. */
		if (pid)
			_exit(0);
		kill(getpid(), SIGKILL);
	});
	CHECK(soon([] { return nothing_counts(); }));
}
