// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/attach/many_events.cpp  More events than one read returns, or than the module has
 * room for.
 */
#include "tests/guest/attach/event_reader.h"
#include "tests/support/catch.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <functional>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace guest;

TEST_CASE_METHOD(AtRest, "many events take several reads and report each child once", "[attach][event][slow]")
{
	const Device device;
	const Memory counters(page);
	const Gate go;
	/* More than one read returns; on debug kernels each fork costs seconds. */
	const size_t children = slowness() > 1 ? 40 : 100;
	Child parent([&] {
		go.wait();
		for (size_t i = 0; i < children; i++)
			if (!need(fork(), "fork"))
				_exit(0);
		while (wait(nullptr) > 0)
			;
	});
	auto how = describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8));

	how.flags = PROFIL_FOLLOW;
	const auto profile = device.attach(how, proof_of(parent.pid()).get());
	go.open();
	parent.join();
	std::vector<pid_t> forked, exited;
	while (readable(device))
		for (const auto &event : device.read_events()) {
			CHECK(event.profile == profile);
			if (event.what & PROFIL_EVENT_FORK)
				forked.push_back(event.pid);
			if (event.what & PROFIL_EVENT_EXIT)
				exited.push_back(event.pid);
		}
	std::sort(forked.begin(), forked.end());
	CHECK(std::unique(forked.begin(), forked.end()) == forked.end());
	CHECK(forked.size() == children);
	CHECK(exited.size() == children + 1);
	CHECK(device.status(profile).forks_lost == 0);
}

TEST_CASE_METHOD(AtRest, "stopping a profile drops its unread events", "[attach][event][slow]")
{
	const Device device(O_RDWR | O_NONBLOCK);
	const Memory counters(page);
	const Gate go, done;
	const unsigned children = slowness() > 1 ? 20 : 150;
	const Child parent([&] {
		go.wait();
		for (unsigned i = 0; i < children; i++)
			if (!need(fork(), "fork"))
				_exit(0);
		while (wait(nullptr) > 0)
			;
		done.open();
		go.wait();
		if (!need(fork(), "fork"))
			_exit(0);
		wait(nullptr);
		done.open();
		pause();
	});
	auto how = describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8));
	profil_event event;

	how.flags = PROFIL_FOLLOW;
	const auto profile = device.attach(how, proof_of(parent.pid()).get());
	go.open();
	done.wait();
	CHECK(readable(device));
	device.stop(profile);
	CHECK_FALSE(readable(device));
	/* The process is no longer followed, so its next child is not reported either. */
	go.open();
	done.wait();
	CHECK(read_error(device, &event, sizeof(event)) == EAGAIN);
}

namespace {

struct Told {
	uint64_t forked;
	profil_status status;
};

/**
 * Follow a process that forks `children` children, all of which stay alive.  Returns what was
 * reported once all are forked.
 */
Told follow_forks(unsigned children, const std::function<void()> &before)
{
	const Device device(O_RDWR | O_NONBLOCK);
	const Memory counters(page);
	const Gate go, forked;
	const Child parent([&] {
		const pid_t self = getpid();

		go.wait();
		before();
		for (unsigned i = 0; i < children; i++)
			if (!need(fork(), "fork")) {
				need(prctl(PR_SET_PDEATHSIG, SIGKILL), "PR_SET_PDEATHSIG");
				/* The parent may have ended before the prctl. */
				if (getppid() == self)
					pause();
				_exit(0);
			}
		forked.open();
		pause();
	});
	auto how = describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8));
	Told told = {};

	how.flags = PROFIL_FOLLOW;
	const auto profile = device.attach(how, proof_of(parent.pid()).get());
	go.open();
	forked.wait();
	told.status = device.status(profile);
	while (readable(device))
		for (const auto &event : device.read_events())
			told.forked += (event.what & PROFIL_EVENT_FORK) != 0;
	return told;
}

} // namespace

TEST_CASE_METHOD(AtRest, "children beyond the node pool are lost, and each is counted",
		 "[attach][event][icount]")
{
	/*
	 * More children than nodes in the pool, and no new nodes while the parent runs.  On a
	 * debug kernel a fork waits so long that other tasks run and refill the pool.
	 */
	const bool quick = slowness() == 1;
	const unsigned children = quick ? 600 : 100;
	const Setting unlimited("/proc/sys/kernel/sched_rt_runtime_us", "-1");
	const auto empty = module_stat("pool_empty"), lost = module_stat("forks_lost");

	const auto told = follow_forks(children, run_before_my_children);
	/* Each child takes two of the nodes that an attach allocates. */
	CHECK(told.forked >= 32);
	CHECK(told.forked + told.status.forks_lost == children);
	CHECK(module_stat("forks_lost") == lost + told.status.forks_lost);
	if (quick) {
		CHECK(told.status.forks_lost > 0);
		CHECK(module_stat("pool_empty") > empty);
	}
	/* The pool has nodes again. */
	const auto again = follow_forks(100, [] {});
	CHECK(again.forked == 100);
	CHECK(again.status.forks_lost == 0);
}

TEST_CASE_METHOD(AtRest, "children beyond max_user_watches are lost, and each is counted", "[attach][event]")
{
	const Setting limit = module_parameter("max_user_watches", 2);

	const auto told = follow_forks(3, [] {});
	CHECK(told.forked == 1);
	CHECK(told.status.forks_lost == 2);
}

TEST_CASE_METHOD(AtRest, "reports of processes that ended long ago are complete, and in order",
		 "[attach][event][slow]")
{
	const Device device(O_RDWR | O_NONBLOCK);
	const Memory counters(page);
	const Memory pids(page, MAP_SHARED);
	const Gate go, done;
	const size_t children = 40;
	const Child parent([&] {
		go.wait();
		for (size_t i = 0; i < children; i++) {
			const pid_t child = need(fork(), "fork");
			if (!child)
				_exit(0);
			pids.at<pid_t>()[i] = child;
			need(waitpid(child, nullptr, 0), "waitpid");
		}
		done.open();
		pause();
	});
	auto how = describe(one_counter(text, text + CODE_LOOP_RETURN, counters.at(), 8));

	how.flags = PROFIL_FOLLOW;
	const auto profile = device.attach(how, proof_of(parent.pid()).get());
	const auto other = device.attach(how, proof_of(getpid()).get());
	go.open();
	done.wait();
	/* By now the module should keep only the reports; more would be duplicates. */
	usleep(300'000);
	/* A stop drops only the events of that profile. */
	device.stop(other);
	std::vector<pid_t> seen;
	while (readable(device))
		for (const auto &event : device.read_events()) {
			CHECK(event.what == (PROFIL_EVENT_FORK | PROFIL_EVENT_EXIT));
			CHECK(event.profile == profile);
			CHECK(event.parent == parent.pid());
			seen.push_back(event.pid);
		}
	CHECK(seen == std::vector<pid_t>(pids.at<pid_t>(), pids.at<pid_t>() + children));
	CHECK(device.status(profile).forks_lost == 0);
}
