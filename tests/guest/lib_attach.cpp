// SPDX-License-Identifier: GPL-2.0-or-later
/* Profiles of other processes: sessions, many targets at once, permissions. */
#include "lib_support.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <memory>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <vector>

using namespace guest;
using namespace lib_test;

namespace {

constexpr uint64_t ms = 1'000'000;

using Session = std::unique_ptr<profil_session, void (*)(profil_session *)>;

Session open_session()
{
	return {profil_session_open(), profil_session_close};
}

/** Children that run a loop, each with counters of ours and a target made for it. */
class Herd {
public:
	Herd(const Loop &loop, size_t nr, uint64_t period = 5 * ms) : regions_(nr), specs_(nr), targets_(nr)
	{
		children_.reserve(nr);
		counters_ = static_cast<char *>(profil_counters_alloc(nr * page_size));
		for (size_t i = 0; i < nr; i++) {
			children_.emplace_back([&loop] {
				for (;;)
					loop.spin(1'000'000);
			});
			describe(loop, i, period);
		}
	}
	~Herd() { profil_counters_free(counters_, targets_.size() * page_size); }
	Herd(const Herd &) = delete;
	Herd &operator=(const Herd &) = delete;

	std::vector<profil_target> &targets() { return targets_; }
	profil_spec &spec(size_t i) { return specs_[i]; }

	/* One child is no more. */
	void end(size_t i)
	{
		kill(children_[i].pid(), SIGKILL);
		children_[i].reap();
	}

	/** Counts of the loop of one child. */
	[[nodiscard]] uint64_t count(size_t i) const { return profil_counter_read(&regions_[i], 1); }

	/** Nothing but the loop's counter was touched. */
	[[nodiscard]] bool only_loop(size_t i) const
	{
		for (size_t k = 0; k < regions_[i].bytes / regions_[i].width; k++)
			if (k != 1 && profil_counter_read(&regions_[i], k))
				return false;
		return true;
	}

private:
	static constexpr size_t page_size = 4096;

	void describe(const Loop &loop, size_t i, uint64_t period)
	{
		profil_region &region = regions_[i];
		profil_spec &spec = specs_[i];

		region.low = loop.pc() - 4;
		region.high = region.low + 16;
		region.offset = region.low;
		region.buffer = reinterpret_cast<uintptr_t>(counters_ + i * page_size);
		region.bytes = 16;
		region.scale = 0x4000;
		region.width = 4;
		spec.size = sizeof spec;
		spec.period = period;
		spec.regions = &region;
		spec.nr_regions = 1;
		targets_[i].pid = children_[i].pid();
		targets_[i].spec = &spec;
		targets_[i].error = -1;
	}

	std::vector<profil_region> regions_;
	std::vector<profil_spec> specs_;
	std::vector<profil_target> targets_;
	std::vector<Child> children_;
	char *counters_;
};

/** Some time for the children; how much does not matter. */
template <typename Condition> void sleep_until(Condition holds)
{
	while (!holds())
		usleep(10'000);
}

/**
 * Make a system call fail from now on, in this process and its children.
 * @param argument if not 0: only with this second argument.
 */
bool forbid(unsigned number, unsigned argument, unsigned error)
{
	sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[1])),
		BPF_JUMP(argument ? BPF_JMP | BPF_JEQ | BPF_K : BPF_JMP | BPF_JGE | BPF_K, argument, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	sock_fprog program = {std::size(code), code};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

constexpr char paranoid[] = "/proc/sys/kernel/perf_event_paranoid";

int lowest_free_fd()
{
	const int fd = dup(0);

	close(fd);
	return fd;
}

/** Attach to two children, 1 if it did not work. */
int attach_two(const Loop &loop)
{
	Herd herd(loop, 2);
	const Session session = open_session();

	if (!session || profil_attach(session.get(), herd.targets().data(), 2) != 2)
		return 1;
	sleep_until([&] { return herd.count(0) && herd.count(1); });
	return herd.only_loop(0) && herd.only_loop(1) ? 0 : 2;
}

} // namespace

TEST_CASE_METHOD(AtRest, "several children are attached together and each counts for itself", "[lib][attach]")
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

TEST_CASE_METHOD(AtRest, "targets that cannot be attached do not keep the others from it", "[lib][attach]")
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

TEST_CASE_METHOD(AtRest, "many targets go through io_uring", "[lib][attach]")
{
	const Loop loop;
	ChildOf<int> child([&] {
		/* The ioctl is out of reach, so the ring must have done it. */
		return forbid(SYS_ioctl, PROFIL_ATTACH, EXDEV) ? attach_two(loop) : 3;
	});

	CHECK(child.result() == 0);
}

TEST_CASE_METHOD(AtRest, "where io_uring is forbidden, ioctl serves", "[lib][attach]")
{
	const Loop loop;

	for (const unsigned error : {EPERM, ENOSYS}) {
		ChildOf<int> child(
			[&] { return forbid(SYS_io_uring_setup, 0, error) ? attach_two(loop) : 3; });

		CHECK(child.result() == 0);
	}
}

TEST_CASE_METHOD(AtRest, "more targets than descriptors are attached in batches", "[lib][attach]")
{
	const Loop loop;
	ChildOf<int> child([&] {
		const rlimit few = {16, 16};
		Herd herd(loop, 40, 100 * ms);
		const Session session = open_session();
		const int fd = lowest_free_fd();

		if (!session || setrlimit(RLIMIT_NOFILE, &few))
			return 1;
		if (profil_attach(session.get(), herd.targets().data(), 40) != 40)
			return 2;
		return lowest_free_fd() == fd ? 0 : 3;
	});

	CHECK(child.result() == 0);
}

TEST_CASE_METHOD(AtRest, "without a descriptor left, targets fail with EMFILE and nothing hangs",
		 "[lib][attach]")
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

TEST_CASE_METHOD(AtRest, "other regions take the place of a profile's", "[lib][attach]")
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

TEST_CASE_METHOD(AtRest, "a session's own process is none of its profiles", "[lib][attach]")
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

TEST_CASE_METHOD(AtRest, "a session tells of exits, and says nothing when there is nothing", "[lib][attach]")
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
	REQUIRE(poll(&wait, 1, -1) == 1);
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

	usleep(200'000);
	CHECK(herd.count(0) == left);
}

TEST_CASE_METHOD(AtRest, "nobody may not attach where perf_event_paranoid is 3, not even to his own child",
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

TEST_CASE_METHOD(AtRest, "at paranoid 2 nobody may profile his own children, without kernel ticks",
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

		/* Root's processes are none of his. */
		profil_target root = herd.targets()[0];

		root.pid = 1;
		if (profil_attach(session.get(), &root, 1) != 0 || root.error != EACCES)
			return 4;
		sleep_until([&] { return herd.count(0) > 0; });
		return 0;
	});

	CHECK(child.result() == 0);
}

TEST_CASE_METHOD(AtRest, "ending every profile takes privilege, and ends them", "[lib][generic]")
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
	/* It may begin again. */
	CHECK(call_profil(counters, sizeof counters, loop.pc(), 0x8000) == 0);
}
