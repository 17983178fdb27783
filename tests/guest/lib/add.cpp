// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/lib/add.cpp  Adding many processes, or threads, to a recording at once. */
#include "tests/guest/lib/flock.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <string>

using namespace guest;
using namespace lib_test;

TEST_CASE_METHOD(AtRest, "processes are added to a recording together, and each counts", "[lib][record]")
{
	const Loop loop;
	Flock flock(loop, 6);

	flock.begin(PROFIL_RECORD_PROCESSES);
	REQUIRE(flock.add(1, 5) == 5);
	for (const profil_target &target : flock.targets()) {
		CHECK(target.error == 0);
		CHECK(target.step == nullptr);
	}
	for (size_t i = 0; i < 6; i++)
		sleep_until([&] { return flock.count(i) >= 3; });

	const profil_status status = flock.status();

	CHECK(status.processes == 6);
	CHECK(status.ticks == accounted(status));
}

TEST_CASE_METHOD(AtRest, "targets that cannot be added do not prevent adding the others", "[lib][record]")
{
	const Loop loop;
	Flock flock(loop, 5);

	flock.begin(PROFIL_RECORD_PROCESSES);
	flock.end(1);
	flock.targets()[2].pid = 0;
	flock.targets()[3].pid = flock.targets()[0].pid;

	const int fd = lowest_free_fd();

	CHECK(flock.add(1, 4) == 1);
	CHECK(flock.targets()[1].error == ESRCH);
	CHECK(std::string(flock.targets()[1].step) == "perf_event_open");
	CHECK(flock.targets()[2].error == EINVAL);
	CHECK(flock.targets()[3].error == EEXIST);
	CHECK(std::string(flock.targets()[3].step) == "PROFIL_ADD");
	CHECK(flock.targets()[4].error == 0);
	CHECK(lowest_free_fd() == fd);
	sleep_until([&] { return flock.count(4) > 0; });
}

TEST_CASE_METHOD(AtRest, "processes are added only to a recording that the session has begun",
		 "[lib][record]")
{
	const Loop loop;
	Flock flock(loop, 2);
	profil_target *const targets = flock.targets().data();

	flock.begin(0);

	profil_session *const session = flock.session();
	const uint32_t profile = flock.profile();

	CHECK(profil_session_add(session, profile, nullptr, 0) == 0);
	CHECK(profil_session_add(session, profile, nullptr, 1) == -1);
	CHECK(errno == EFAULT);
	for (const uint32_t other : {0U, profile + 1}) {
		CHECK(profil_session_add(session, other, targets, 2) == -1);
		CHECK(errno == ENOENT);
	}
	REQUIRE(profil_session_finish(session, profile) == 0);
	CHECK(profil_session_add(session, profile, targets + 1, 1) == 0);
	CHECK(targets[1].error == ENOENT);
	REQUIRE(profil_session_stop(session, profile) == 0);
	CHECK(profil_session_add(session, profile, targets + 1, 1) == -1);
	CHECK(errno == ENOENT);
}

TEST_CASE_METHOD(AtRest, "threads are added to a recording of threads", "[lib][record]")
{
	const Loop loop;
	Flock flock(loop, 3);

	flock.begin(PROFIL_THREAD | PROFIL_RECORD_PROCESSES);
	REQUIRE(flock.add(1, 2) == 2);
	for (size_t i = 0; i < 3; i++)
		sleep_until([&] { return flock.count(i) >= 3; });
}

TEST_CASE_METHOD(AtRest, "processes are added to a recording of an event by that event", "[lib][record]")
{
	const Loop loop;
	Flock flock(loop, 3);
	perf_event_attr event = {};

	event.type = PERF_TYPE_SOFTWARE;
	event.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	flock.begin(PROFIL_RECORD_PROCESSES | PROFIL_KERNEL_TICKS, &event);
	REQUIRE(flock.add(1, 2) == 2);
	for (size_t i = 0; i < 3; i++)
		sleep_until([&] { return flock.count(i) >= 3; });
}
