// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/lib/attach_ways.cpp  The ways to attach: by io_uring or ioctl, within the limit of
 * descriptors, with various permissions.
 */
#include "tests/guest/lib/herd.h"
#include "tests/support/catch.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

using namespace guest;
using namespace lib_test;

namespace {

constexpr char paranoid[] = "/proc/sys/kernel/perf_event_paranoid";

/**
 * Make a system call fail from now on, in this process and its children.
 * @param argument if not 0: only with this second argument.
 * @param with false: only with another one.
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

/** Attach to two children; 1 if that failed. */
int attach_two(const Loop &loop)
{
	Herd herd(loop, 2);
	const Session session = open_session();

	if (!session || profil_attach(session.get(), herd.targets().data(), 2) != 2)
		return 1;
	sleep_until([&] { return herd.count(0) && herd.count(1); });
	return herd.only_loop(0) && herd.only_loop(1) ? 0 : 2;
}

/** Attach to children with @p free free descriptors; 0 if all were attached and none was kept. */
int attach_with_descriptors(const Loop &loop, size_t children, unsigned free)
{
	Herd herd(loop, children, 100 * ms);
	const Session session = open_session();
	const int fd = lowest_free_fd();
	const rlimit few = {static_cast<rlim_t>(fd) + free, static_cast<rlim_t>(fd) + free};

	if (!session || setrlimit(RLIMIT_NOFILE, &few))
		return 1;
	if (profil_attach(session.get(), herd.targets().data(), children) != static_cast<ssize_t>(children))
		return 2;
	return lowest_free_fd() == fd ? 0 : 3;
}

} // namespace

TEST_CASE_METHOD(AtRest, "many targets are attached through io_uring", "[lib][attach]")
{
	const Loop loop;
	ChildOf<int> child([&] {
		/* The ioctl is forbidden, so the ring must have attached them. */
		return forbid(SYS_ioctl, PROFIL_ATTACH, EXDEV) ? attach_two(loop) : 3;
	});

	CHECK(child.result() == 0);
}

TEST_CASE_METHOD(AtRest, "attaching uses ioctl where io_uring is forbidden", "[lib][attach]")
{
	const Loop loop;

	for (const unsigned error : {EPERM, ENOSYS}) {
		ChildOf<int> child(
			[&] { return forbid(SYS_io_uring_setup, 0, error) ? attach_two(loop) : 3; });

		CHECK(child.result() == 0);
	}
}

TEST_CASE_METHOD(AtRest, "with CAP_PERFMON, one event on a CPU is enough for many targets", "[lib][attach]")
{
	const Loop loop;
	ChildOf<int> child([&] {
		Herd herd(loop, 14, 100 * ms);
		const Session session = open_session();
		const int fd = lowest_free_fd();

		/* No event on a process can be opened: its PID is the second argument. */
		if (!session || !forbid(SYS_perf_event_open, -1U, EXDEV, false))
			return 1;
		if (profil_attach(session.get(), herd.targets().data(), 14) != 14)
			return 2;
		return lowest_free_fd() == fd ? 0 : 3;
	});

	CHECK(child.result() == 0);
}

TEST_CASE_METHOD(AtRest, "more targets than free descriptors are attached in batches", "[lib][attach]")
{
	const Setting usual(paranoid, "2");
	const Loop loop;
	ChildOf<int> child([&] {
		/* Without CAP_PERFMON, so each target needs an event of its own. */
		become_nobody();
		/* The ring needs some of them, so there are at least three batches. */
		return attach_with_descriptors(loop, 14, 6);
	});

	CHECK(child.result() == 0);
}

TEST_CASE_METHOD(AtRest, "a shared proof that is refused gives back the last descriptor", "[lib][attach]")
{
	/* Any user may open an event on a CPU, but only CAP_PERFMON makes it a proof for many. */
	const Setting open(paranoid, "0");
	const Loop loop;
	ChildOf<int> child([&] {
		become_nobody();
		return attach_with_descriptors(loop, 5, 1);
	});

	CHECK(child.result() == 0);
}

TEST_CASE_METHOD(AtRest, "targets fail with EMFILE when no descriptor is left", "[lib][attach]")
{
	const Loop loop;
	ChildOf<int> child([&] {
		Herd herd(loop, 3);
		const Session session = open_session();
		const rlimit none = {static_cast<rlim_t>(lowest_free_fd()), 1024};

		if (!session || setrlimit(RLIMIT_NOFILE, &none))
			return 1;
		if (profil_attach(session.get(), herd.targets().data(), 3) != 0)
			return 2;
		for (const profil_target &target : herd.targets())
			if (target.error != EMFILE || strcmp(target.step, "perf_event_open"))
				return 3;
		return 0;
	});

	CHECK(child.result() == 0);
}

TEST_CASE_METHOD(AtRest, "an ordinary user cannot attach to their own child at perf_event_paranoid 3",
		 "[lib][attach]")
{
	const Loop loop;
	const Setting strict(paranoid, "3");
	ChildOf<int> child([&] {
		become_nobody();

		Herd herd(loop, 2);
		const Session session = open_session();

		if (!session)
			return 2;
		if (profil_attach(session.get(), herd.targets().data(), 2) != 0)
			return 3;
		for (const profil_target &target : herd.targets())
			if (target.error != EACCES || strcmp(target.step, "perf_event_open"))
				return 4;

		char text[512];

		profil_explain(EACCES, herd.targets()[0].step, text, sizeof text);
		return strstr(text, "kernel.perf_event_paranoid is 3 ") ? 0 : 5;
	});

	CHECK(child.result() == 0);
}

TEST_CASE_METHOD(
	AtRest,
	"an ordinary user can profile their own children without kernel ticks at perf_event_paranoid 2",
	"[lib][attach]")
{
	const Loop loop;
	const Setting usual(paranoid, "2");

	REQUIRE(soon([] { return module_stat("clock_period") == 0; }));

	ChildOf<int> child([&] {
		become_nobody();

		Herd herd(loop, 2);
		const Session session = open_session();

		herd.spec(1).flags = PROFIL_KERNEL_TICKS;
		need_that(session != nullptr, "a session");
		profil_attach(session.get(), herd.targets().data(), 2);
		need_that(herd.targets()[0].error == 0, strerror(herd.targets()[0].error));
		need_that(herd.targets()[1].error == EACCES, strerror(herd.targets()[1].error));

		/* Root's processes belong to another user. */
		profil_target root = herd.targets()[0];

		root.pid = 1;
		if (profil_attach(session.get(), &root, 1) != 0 || root.error != EACCES)
			return 4;
		sleep_until([&] { return herd.count(0) > 0; });
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
