// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/lib/add_ways.cpp  The ways to add processes to a recording: by io_uring or ioctl, within
 * the limit of descriptors, with various permissions.
 */
#include "tests/guest/lib/flock.h"
#include "tests/guest/support/device.h"
#include "tests/support/catch.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <functional>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <span>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

using namespace guest;
using namespace lib_test;

namespace {

constexpr char paranoid[] = "/proc/sys/kernel/perf_event_paranoid";

/**
 * Make a system call fail from now on, in this process and its children.
 * @param argument if not 0: only calls with this second argument fail.
 * @param with if false: only calls with any other second argument fail.
 */
bool forbid(unsigned number, unsigned argument, unsigned error, bool with = true)
{
	const unsigned refuse = SECCOMP_RET_ERRNO | error;

	sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[1])),
		BPF_JUMP(argument ? BPF_JMP | BPF_JEQ | BPF_K : BPF_JMP | BPF_JGE | BPF_K, argument, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, with ? refuse : unsigned{SECCOMP_RET_ALLOW}),
		BPF_STMT(BPF_RET | BPF_K, with ? unsigned{SECCOMP_RET_ALLOW} : refuse),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	sock_fprog program = {std::size(code), code};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/** Add two children after @p change has restricted the process.  Returns 0 if both have ticks. */
int add_two(const Loop &loop, const std::function<bool()> &change)
{
	Flock flock(loop, 3);

	flock.begin(PROFIL_RECORD_PROCESSES);
	if (!change() || flock.add(1, 2) != 2)
		return 1;
	sleep_until([&] { return flock.count(1) && flock.count(2); });
	return 0;
}

/**
 * Add children with @p free free descriptors.  Returns 0 if all were added and no descriptor was
 * kept.
 */
int add_with_descriptors(const Loop &loop, size_t children, unsigned free)
{
	Flock flock(loop, children + 1, 100 * ms);

	flock.begin(0);
	const int fd = lowest_free_fd();
	const rlimit few = {static_cast<rlim_t>(fd) + free, static_cast<rlim_t>(fd) + free};

	if (setrlimit(RLIMIT_NOFILE, &few))
		return 1;
	if (flock.add(1, children) != static_cast<ssize_t>(children))
		return 2;
	return lowest_free_fd() == fd ? 0 : 3;
}

/** True if adding each of the targets fails with this error of perf_event_open(2). */
bool all_refused(profil_session *session, uint32_t profile, std::span<profil_target> targets, int error)
{
	return profil_session_add(session, profile, targets.data(), targets.size()) == 0 &&
	       std::ranges::all_of(targets, [=](const profil_target &target) {
		       return target.error == error && !strcmp(target.step, "perf_event_open");
	       });
}

} // namespace

TEST_CASE_METHOD(AtRest, "many targets are added through io_uring", "[lib][record][lifetime]")
{
	const Loop loop;
	ChildOf<int> child([&] {
		/* The ioctl is forbidden, so the ring must have added them. */
		return add_two(loop, [] { return forbid(SYS_ioctl, PROFIL_ADD, EXDEV); });
	});

	CHECK(child.result() == 0);
}

TEST_CASE_METHOD(AtRest, "adding targets uses ioctl where io_uring is forbidden", "[lib][record]")
{
	const Loop loop;

	for (const unsigned error : {EPERM, ENOSYS}) {
		ChildOf<int> child(
			[&] { return add_two(loop, [=] { return forbid(SYS_io_uring_setup, 0, error); }); });

		CHECK(child.result() == 0);
	}
}

TEST_CASE_METHOD(AtRest, "with CAP_PERFMON, one event on a CPU is enough for many targets", "[lib][record]")
{
	const Loop loop;
	ChildOf<int> child([&] {
		Flock flock(loop, 15, 100 * ms);

		flock.begin(0);
		const int fd = lowest_free_fd();

		/* No event on a process can be opened: its PID is the second argument. */
		if (!forbid(SYS_perf_event_open, -1U, EXDEV, false))
			return 1;
		if (flock.add(1, 14) != 14)
			return 2;
		return lowest_free_fd() == fd ? 0 : 3;
	});

	CHECK(child.result() == 0);
}

TEST_CASE_METHOD(AtRest, "more targets than free descriptors are added in batches", "[lib][record]")
{
	const Setting usual(paranoid, "2");
	const Loop loop;
	ChildOf<int> child([&] {
		/* Without CAP_PERFMON, so each target needs an event of its own. */
		become_nobody();
		/* The ring needs some of the descriptors, so there are at least three batches. */
		return add_with_descriptors(loop, 14, 6);
	});

	CHECK(child.result() == 0);
}

TEST_CASE_METHOD(AtRest, "a shared proof that is refused gives back the last descriptor", "[lib][record]")
{
	/* Any user may open an event on a CPU, but only CAP_PERFMON makes it a proof for many. */
	const Setting open(paranoid, "0");
	const Loop loop;
	ChildOf<int> child([&] {
		become_nobody();
		return add_with_descriptors(loop, 5, 1);
	});

	CHECK(child.result() == 0);
}

TEST_CASE_METHOD(AtRest, "targets fail with EMFILE when no descriptor is left", "[lib][record]")
{
	const Loop loop;
	ChildOf<int> child([&] {
		Flock flock(loop, 4);

		flock.begin(0);
		const rlimit none = {static_cast<rlim_t>(lowest_free_fd()), 1024};

		if (setrlimit(RLIMIT_NOFILE, &none))
			return 1;
		return all_refused(flock.session(), flock.profile(), std::span(flock.targets()).subspan(1),
				   EMFILE)
			       ? 0
			       : 2;
	});

	CHECK(child.result() == 0);
}

TEST_CASE_METHOD(AtRest, "an ordinary user cannot record their own child at perf_event_paranoid 3",
		 "[lib][record]")
{
	const Setting strict(paranoid, "3");
	ChildOf<int> child([&] {
		const Session session = open_session();
		const Memory table(4096);
		profil_record recording = describe_recording(table);
		profil_target targets[2] = {};
		char text[512];

		/* Root has begun the recording. */
		if (!session || profil_session_record(session.get(), getpid(), &recording, nullptr))
			return 1;
		become_nobody();

		const Child own[] = {Child([] { pause(); }), Child([] { pause(); })};

		for (size_t i = 0; i < 2; i++)
			targets[i].pid = own[i].pid();
		if (!all_refused(session.get(), recording.profile, targets, EACCES))
			return 2;
		profil_explain(EACCES, targets[0].step, text, sizeof text);
		return strstr(text, "kernel.perf_event_paranoid is 3 ") ? 0 : 3;
	});

	CHECK(child.result() == 0);
}

TEST_CASE_METHOD(
	AtRest,
	"an ordinary user can record their own children without kernel ticks at perf_event_paranoid 2",
	"[lib][record]")
{
	const Loop loop;
	const Setting usual(paranoid, "2");

	REQUIRE(soon([] { return module_stat("clock_period") == 0; }));

	ChildOf<int> child([&] {
		become_nobody();

		Flock flock(loop, 3), kernel(loop, 1);

		if (kernel.try_begin(PROFIL_KERNEL_TICKS) != EACCES)
			return 1;
		flock.begin(PROFIL_RECORD_PROCESSES);
		/* Root's processes belong to another user. */
		flock.targets()[2].pid = 1;
		if (flock.add(1, 2) != 1 || flock.targets()[2].error != EACCES)
			return 2;
		sleep_until([&] { return flock.count(0) && flock.count(1); });
		return 0;
	});

	CHECK(child.result() == 0);
}

TEST_CASE_METHOD(AtRest, "ending all profiles needs privilege", "[lib][generic]")
{
	const Loop loop;
	const OffAtEnd off;
	volatile unsigned short counters[4] = {};

	REQUIRE(call_profil(counters, sizeof counters, loop.pc(), 0x8000) == 0);

	ChildOf<int> nobody([] {
		become_nobody();
		errno = 0;
		return profil_all_stop() == -1 && errno == EPERM ? 0 : 1;
	});

	CHECK(nobody.result() == 0);
	CHECK(self_status().state == PROFIL_STATE_RUNNING);
	CHECK(profil_all_stop() == 0);

	const unsigned short left = counters[0];

	loop.spin_ms(60);
	CHECK(counters[0] == left);
	/* The process can start a profile again. */
	CHECK(call_profil(counters, sizeof counters, loop.pc(), 0x8000) == 0);
}
