// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/uapi/fault_injection_forks.cpp  Calls that fail inside the forks and execs of
 * profiled processes.
 */
#include "tests/guest/uapi/fault_injection.h"
#include "tests/support/catch.h"

#include <algorithm>
#include <cerrno>
#include <sys/wait.h>
#include <unistd.h>

using namespace guest;

TEST_CASE_METHOD(AtRest, "a fork that fails is not counted as lost, and the parent's profile goes on",
		 "[fault-injection][fork]")
{
	const Device device;
	const Description description;
	const Faults faults;

	Child parent([&] {
		const Injector injector;
		uint32_t lost = 0;

		device.start(description.how());
		sweep_faster([&](unsigned n) {
			injector.arm(n);
			const pid_t pid = fork();
			const int error = pid < 0 ? errno : 0;
			/* The child does not inherit the armed failure. */
			if (!pid)
				_exit(static_cast<int>(device.status().state));
			const bool fired = injector.fired();
			injector.disarm();

			int status = 0;
			if (pid > 0)
				need(waitpid(pid, &status, 0), "waitpid");
			const auto mine = device.status();
			need_that(!error || error == ENOMEM || error == EAGAIN || error == EFAULT,
				  "an error of fork(2)");
			need_that(mine.state == PROFIL_STATE_RUNNING, "the parent goes on");
			if (pid > 0 && mine.forks_lost == lost)
				need_that(status == PROFIL_STATE_RUNNING << 8, "the child is profiled");
			lost = mine.forks_lost;
			return fired;
		});
		need_that(lost == 0, "no child is lost");
	});
	parent.join();
}

namespace {

struct Birth {
	bool fired, lost;
};

/** Fork a child, and let the n-th call before the child's first instruction fail. */
Birth bear(const Device &device, unsigned n)
{
	const Gate gate;
	const auto lost = device.status().forks_lost;
	int status;

	const pid_t pid = need(fork(), "fork");
	if (!pid) {
		gate.wait();
		_exit(static_cast<int>(device.status().state));
	}
	const Injector injector(pid);
	injector.arm(n);
	need_that(soon([pid] { return asleep(pid); }), "the child has reached its first instruction");
	const bool fired = injector.fired();
	injector.disarm();
	gate.open();
	need(waitpid(pid, &status, 0), "waitpid");
	need_that(WIFEXITED(status), "the child lives");

	const bool off = WEXITSTATUS(status) == PROFIL_STATE_NONE;
	need_that(off || WEXITSTATUS(status) == PROFIL_STATE_RUNNING, "the child is profiled or off");
	need_that(device.status().forks_lost - lost == off, "a child that is off is counted as lost");
	return {fired, off};
}

} // namespace

TEST_CASE_METHOD(AtRest, "a child whose inheritance fails is off and counted as lost",
		 "[fault-injection][fork]")
{
	const Device device;
	const Description description;
	const Faults faults(Faults::Of::module);

	const auto lost = in_child([&] {
		unsigned children = 0;

		run_before_my_children();
		device.start(description.how());
		sweep([&](unsigned n) {
			const auto birth = bear(device, n);

			need_that(birth.fired || !birth.lost, "without a failure no child is lost");
			children += birth.lost;
			return birth.fired;
		});
		return children;
	});
	CHECK(lost >= 3);
}

TEST_CASE_METHOD(AtRest, "failures in its forks and execs do not end the following of a process",
		 "[fault-injection][fork]")
{
	const Faults faults;

	sweep_faster([&](unsigned n) {
		const Gate gate;
		Memory seen(page, MAP_SHARED);
		Child target([&] {
			gate.wait();
			const Injector injector;
			injector.arm(n);
			const pid_t pid = fork();
			if (!pid) {
				/*
				 * The child's own injector: the parent's is for the parent's task.
				 */
				const Injector own;
				own.arm(n);
				execl("/bin/true", "true", nullptr);
				_exit(99);
			}
			*seen.at<unsigned>() = injector.fired();
			injector.disarm();
			int status = 98 << 8;
			if (pid > 0)
				need(waitpid(pid, &status, 0), "waitpid");
			seen.at<int>()[1] = status;
			seen.at<pid_t>()[2] = pid;
		});
		Recording recording(256);
		recording.begin(target.pid(), PROFIL_FOLLOW | PROFIL_RECORD_PROCESSES);
		gate.open();
		target.join();

		const auto status = seen.at<int>()[1];
		const auto pid = seen.at<pid_t>()[2];
		const auto knows = [&](const std::string &program) {
			const auto owners = recording.owners(program);

			return std::any_of(owners.begin(), owners.end(),
					   [&](const Described &owner) { return owner.pid == pid; });
		};
		CAPTURE(n, status, pid);
		CHECK(recording.status().forks_lost == 0);
		if (pid > 0)
			CHECK(knows("guest"));
		if (status == 0)
			CHECK(knows("true"));
		if (status == 99 << 8)
			CHECK_FALSE(knows("true"));
		return *seen.at<unsigned>() || status != 0;
	});
}
