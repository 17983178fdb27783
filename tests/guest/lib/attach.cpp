// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/lib/attach.cpp  Profiles of other processes: sessions and their events. */
#include "tests/guest/lib/herd.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <poll.h>
#include <string>
#include <sys/syscall.h>
#include <thread>

using namespace guest;
using namespace lib_test;

TEST_CASE_METHOD(AtRest, "several children are attached together and each has its own counts",
		 "[lib][attach]")
{
	const Loop loop;
	Herd herd(loop, 6);
	const Session session = open_session();

	REQUIRE(session);
	REQUIRE(profil_attach(session.get(), herd.targets().data(), 6) == 6);
	for (size_t i = 0; i < 6; i++) {
		const profil_target &target = herd.targets()[i];

		CHECK(target.error == 0);
		CHECK(target.step == nullptr);
		CHECK(target.profile > 0);
		for (size_t k = 0; k < i; k++)
			CHECK(herd.targets()[k].profile != target.profile);
	}
	sleep_until([&] {
		for (size_t i = 0; i < 6; i++)
			if (herd.count(i) < 10)
				return false;
		return true;
	});
	for (size_t i = 0; i < 6; i++) {
		profil_status status;
		const uint32_t profile = herd.targets()[i].profile;

		status.size = sizeof status;
		herd.end(i);
		REQUIRE(profil_get_status(session.get(), profile, &status) == 0);
		CHECK(status.profile == profile);
		CHECK(status.ticks == accounted(status));
		CHECK(status.counted == herd.count(i));
		CHECK(herd.only_loop(i));
		CHECK(profil_detach(session.get(), profile, nullptr) == 0);
		CHECK(profil_get_status(session.get(), profile, &status) == -1);
		CHECK(errno == ENOENT);
	}
}

TEST_CASE_METHOD(AtRest, "targets that cannot be attached do not prevent attaching the others",
		 "[lib][attach]")
{
	const Loop loop;
	Herd herd(loop, 6);
	const Session session = open_session();
	std::vector<profil_target> &targets = herd.targets();
	profil_spec old = herd.spec(3);
	const int fd = lowest_free_fd();

	REQUIRE(session);
	herd.end(0);
	targets[1].pid = 0;
	targets[2].spec = nullptr;
	old.size = 8;
	targets[3].spec = &old;
	herd.spec(4).period = 1;
	CHECK(profil_attach(session.get(), targets.data(), 6) == 1);
	CHECK(targets[0].error == ESRCH);
	CHECK(std::string(targets[0].step) == "perf_event_open");
	CHECK(targets[1].error == EINVAL);
	CHECK(targets[2].error == EFAULT);
	CHECK(targets[3].error == EINVAL);
	CHECK(targets[4].error == ERANGE);
	CHECK(std::string(targets[4].step) == "PROFIL_ATTACH");
	CHECK(targets[5].error == 0);
	CHECK(targets[5].step == nullptr);
	CHECK(targets[4].profile == 0);
	CHECK(lowest_free_fd() == fd);
	sleep_until([&] { return herd.count(5) > 0; });

	CHECK(profil_attach(session.get(), nullptr, 0) == 0);
	CHECK(profil_attach(session.get(), nullptr, 1) == -1);
	CHECK(errno == EFAULT);
}

TEST_CASE_METHOD(AtRest, "attaching again moves a process to the new profile", "[lib][attach]")
{
	const Loop loop;
	Herd herd(loop, 1);
	const Session session = open_session();
	profil_target &target = herd.targets()[0];

	REQUIRE(session);
	REQUIRE(profil_attach(session.get(), &target, 1) == 1);
	const uint32_t first = target.profile;

	sleep_until([&] { return herd.count(0) >= 3; });
	REQUIRE(profil_attach(session.get(), &target, 1) == 1);
	CHECK(target.profile != first);

	const uint64_t count = herd.count(0);

	sleep_until([&] { return herd.count(0) >= count + 3; });
	herd.end(0);

	profil_status before = {};
	profil_status after = {};

	before.size = sizeof before;
	after.size = sizeof after;
	REQUIRE(profil_get_status(session.get(), first, &before) == 0);
	REQUIRE(profil_get_status(session.get(), target.profile, &after) == 0);
	CHECK(before.counted + after.counted == herd.count(0));
}

TEST_CASE_METHOD(AtRest, "an update replaces the regions of a profile", "[lib][attach]")
{
	const Loop loop;
	Herd herd(loop, 1);
	const Session session = open_session();
	volatile uint64_t *counters = static_cast<uint64_t *>(profil_counters_alloc(4096));
	profil_region region = {};

	REQUIRE(session);
	REQUIRE(profil_attach(session.get(), herd.targets().data(), 1) == 1);
	sleep_until([&] { return herd.count(0) >= 3; });

	region.low = loop.pc();
	region.high = loop.pc() + 8;
	region.offset = region.low;
	region.buffer = reinterpret_cast<uintptr_t>(counters);
	region.bytes = 8;
	region.width = 8;

	const uint32_t profile = herd.targets()[0].profile;

	REQUIRE(profil_set_regions(session.get(), profile, &region, 1) == 0);
	const uint64_t left = herd.count(0);

	sleep_until([&] { return counters[0] >= 3; });
	CHECK(herd.count(0) == left);
	CHECK(profil_set_regions(session.get(), profile + 7, &region, 1) == -1);
	CHECK(errno == ENOENT);
	REQUIRE(profil_detach(session.get(), profile, nullptr) == 0);
	profil_counters_free(const_cast<uint64_t *>(counters), 4096);
}

TEST_CASE_METHOD(AtRest, "a session does not include a profile of its own process", "[lib][attach]")
{
	const Session session = open_session();
	profil_status status = {};

	REQUIRE(session);
	status.size = sizeof status;
	CHECK(profil_detach(session.get(), 0, nullptr) == -1);
	CHECK(errno == ENOENT);
	CHECK(profil_get_status(session.get(), 0, &status) == -1);
	CHECK(errno == ENOENT);
}

TEST_CASE_METHOD(AtRest, "a session reports exits, and no event when there is none", "[lib][attach]")
{
	const Loop loop;
	Herd herd(loop, 2);
	const Session session = open_session();
	profil_event events[8];

	REQUIRE(session);
	pollfd wait = {profil_session_fd(session.get()), POLLIN, 0};

	REQUIRE(profil_attach(session.get(), herd.targets().data(), 2) == 2);
	errno = EXDEV;
	CHECK(profil_session_events(session.get(), events, 8) == 0);
	CHECK(profil_session_events(session.get(), events, 0) == 0);
	CHECK(errno == EXDEV);
	CHECK(poll(&wait, 1, 0) == 0);

	const pid_t pid = herd.targets()[1].pid;

	herd.end(1);
	REQUIRE(soon([&] { return poll(&wait, 1, 0) == 1; }));
	REQUIRE(profil_session_events(session.get(), events, 8) == 1);
	CHECK(events[0].what == PROFIL_EVENT_EXIT);
	CHECK(events[0].pid == pid);
	CHECK(events[0].profile == herd.targets()[1].profile);
	CHECK(profil_session_events(session.get(), events, 8) == 0);
}

TEST_CASE_METHOD(AtRest, "closing a session ends its profiles", "[lib][attach]")
{
	const Loop loop;
	Herd herd(loop, 1);
	Session session = open_session();

	REQUIRE(session);
	REQUIRE(profil_attach(session.get(), herd.targets().data(), 1) == 1);
	sleep_until([&] { return herd.count(0) > 0; });
	session.reset();

	const uint64_t left = herd.count(0);

	CHECK(process_runs_for(herd.targets()[0].pid, 40 * herd.spec(0).period));
	CHECK(herd.count(0) == left);
}

TEST_CASE_METHOD(AtRest, "a process whose first thread has ended is attached through another thread",
		 "[lib][attach]")
{
	const Loop loop;
	/* Two targets, because several are attached in a different way from one. */
	Herd herd(loop, 2);
	const Session session = open_session();
	Child child([&] {
		std::thread([&] {
			for (;;)
				loop.spin(1'000'000);
		}).detach();
		syscall(SYS_exit, 0);
	});
	const std::string stat = "/proc/" + std::to_string(child.pid()) + "/stat";

	REQUIRE(session);
	REQUIRE(soon([&] { return read_file(stat).find(") Z ") != std::string::npos; }));
	herd.targets()[0].pid = child.pid();
	REQUIRE(profil_attach(session.get(), herd.targets().data(), 2) == 2);
	sleep_until([&] { return herd.count(0) >= 3 && herd.count(1) >= 3; });
}
