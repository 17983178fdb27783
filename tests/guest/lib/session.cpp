// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/lib/session.cpp  Sessions and their recordings, through the library. */
#include "tests/guest/lib/flock.h"
#include "tests/guest/support/device.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"

#include <cerrno>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <thread>

using namespace guest;
using namespace lib_test;
using namespace support;

TEST_CASE_METHOD(AtRest, "a session does not include a profile of its own process", "[lib][record]")
{
	const Session session = open_session();
	profil_status status = {};

	REQUIRE(session);
	status.size = sizeof status;
	CHECK(profil_session_stop(session.get(), 0) == -1);
	CHECK(errno == ENOENT);
	CHECK(profil_get_status(session.get(), 0, &status) == -1);
	CHECK(errno == ENOENT);
}

TEST_CASE_METHOD(AtRest, "a recording counts in another table once the session has given it one",
		 "[lib][record]")
{
	const Loop loop;
	Flock flock(loop, 1);
	const Memory table(4096);
	const auto change = [&](uint32_t profile) {
		return profil_session_table(flock.session(), profile, table.at(),
					    table.bytes() / sizeof(profil_count));
	};

	flock.begin(PROFIL_RECORD_PROCESSES);
	sleep_until([&] { return flock.count(0) >= 3; });
	REQUIRE(change(flock.profile()) == 0);

	const uint64_t left = flock.count(0);

	sleep_until([&] { return sum_table(table) >= 3; });
	CHECK(flock.count(0) == left);
	CHECK(change(flock.profile() + 7) == -1);
	CHECK(errno == ENOENT);
	REQUIRE(profil_session_stop(flock.session(), flock.profile()) == 0);
	profil_status gone = {};
	gone.size = sizeof gone;
	CHECK(profil_get_status(flock.session(), flock.profile(), &gone) == -1);
	CHECK(errno == ENOENT);
}

TEST_CASE_METHOD(AtRest, "a session's descriptor reports news of its recording, once they are asked for",
		 "[lib][record]")
{
	const Loop loop;
	Flock flock(loop, 1);
	pollfd news = {profil_session_fd(flock.session()), POLLPRI, 0};

	flock.begin(PROFIL_RECORD_PROCESSES);
	sleep_until([&] { return flock.count(0) >= 3; });
	CHECK(profil_session_wait(flock.session(), flock.profile(), 0) == -1);
	CHECK(errno == EINVAL);
	REQUIRE(profil_session_wait(flock.session(), flock.profile(), 1 << 20) == 0);
	CHECK(poll(&news, 1, 0) == 0);
	REQUIRE(profil_session_finish(flock.session(), flock.profile()) == 0);
	CHECK(poll(&news, 1, 0) == 1);
	CHECK(news.revents == POLLPRI);
}

TEST_CASE_METHOD(AtRest, "closing a session ends its recordings", "[lib][record][lifetime]")
{
	const Loop loop;
	Flock flock(loop, 1);

	flock.begin(PROFIL_RECORD_PROCESSES);
	sleep_until([&] { return flock.count(0) > 0; });
	flock.close();

	const uint64_t left = flock.ticks();

	CHECK(process_runs_for(flock.targets()[0].pid, 200 * ms));
	CHECK(flock.ticks() == left);
}

TEST_CASE_METHOD(AtRest, "a process whose first thread has ended is recorded through another thread",
		 "[lib][record]")
{
	const Loop loop;
	/* Adds two children, because several are added in a different way from one. */
	Flock flock(loop, 3);
	const Child child([&] {
		std::thread([&] {
			for (;;)
				loop.spin(1'000'000);
		}).detach();
		syscall(SYS_exit, 0);
	});
	const std::string stat = "/proc/" + std::to_string(child.pid()) + "/stat";

	REQUIRE(soon([&] { return read_file(stat).find(") Z ") != std::string::npos; }));
	flock.begin(PROFIL_RECORD_PROCESSES);
	flock.targets()[1].pid = child.pid();
	REQUIRE(flock.add(1, 2) == 2);
	sleep_until([&] { return flock.count(1) >= 3 && flock.count(2) >= 3; });
}

TEST_CASE_METHOD(AtRest, "the example of a recording records the processes in its arguments", "[lib][man]")
{
	const auto spin = [] {
		prctl(PR_SET_NAME, "spinning");
		for (;;)
			;
	};
	const std::string nobody = "4194304"; /* one more than the kernel's greatest PID */
	const Child first(spin), second(spin);
	const auto record = [&](const std::string &pids) {
		return run("LD_LIBRARY_PATH=" + build_dir() + " " + build_dir() + "/tests/examples/record " +
			   pids);
	};
	const Output both = record(std::to_string(first.pid()) + " " + std::to_string(second.pid()));
	const Output gone = record(std::to_string(first.pid()) + " " + nobody);

	INFO(both.text << gone.text);
	CHECK(both.status == 0);
	CHECK(both.text.find(" spinning ") != std::string::npos);
	CHECK(gone.status == 1);
	CHECK(gone.text.find(nobody + ": no such process") == 0);
}

TEST_CASE_METHOD(AtRest, "the example in C++ follows a process and its children to their end", "[lib][man]")
{
	const Gate begin;
	const Child parent([&] {
		prctl(PR_SET_NAME, "parent");
		begin.wait();
		Child child([] {
			prctl(PR_SET_NAME, "child");
			Burner().burn(Burner::usual, 100 * ms);
		});
		child.reap();
	});
	REQUIRE(soon([&] { return asleep(parent.pid()); }));
	std::thread starter([&] {
		CHECK(soon([] { return module_stat("profiles") == 1; }));
		begin.open();
	});
	const Output out = run("LD_LIBRARY_PATH=" + build_dir() + " " + build_dir() +
			       "/tests/examples/follow " + std::to_string(parent.pid()));
	starter.join();
	INFO(out.text);
	CHECK(out.status == 0);
	CHECK(out.text.find(" parent\n") != std::string::npos);
}
