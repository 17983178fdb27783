// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/hostile/others.cpp  What a user cannot do to the profiles and processes of others. */
#include "tests/guest/hostile/support.h"

#include <csignal>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

using namespace guest;
using namespace guest::hostile;

namespace {

/** The errors of all commands on an attached profile, by its number. */
struct Errors {
	int stop, status, update;

	bool operator==(const Errors &) const = default;
};

Errors try_all(const Device &device, uint32_t number)
{
	const Memory counters(page);
	const auto region = region_on(counters.at());
	profil_stop stop = {};
	profil_status status = {};
	auto update = describe_update(number, std::span(&region, 1));

	stop.size = sizeof(stop);
	stop.profile = number;
	status.size = sizeof(status);
	status.profile = number;
	return {device.call(PROFIL_STOP, &stop), device.call(PROFIL_STATUS, &status),
		device.call(PROFIL_UPDATE, &update)};
}

int attach_error(int proof)
{
	const Device device;
	const Memory counters(page);
	auto how = count_in(counters.at());

	how.proof = proof;
	return device.call(PROFIL_ATTACH, &how);
}

} // namespace

TEST_CASE_METHOD(AtRest, "the number of another user's profile means nothing in one's own session",
		 "[hostile]")
{
	const PerfForUsers users;
	const Gate attached, tried;
	ChildOf<uint32_t> owner([&] {
		become(victim, 0);
		const Device device;
		const Memory counters(page);
		const auto profile = attach_to(device, getpid(), counters);

		need_that(profile == 1, "the first profile of a session has the number 1");
		attached.open();
		tried.wait();
		return uint32_t{device.status(profile).state};
	});

	attached.wait();
	for (const uint32_t number : {1U, 2U, 0xffffffffU}) {
		const auto errors = in_child([=] {
			become(attacker, 0);
			return try_all(Device(), number);
		});
		CAPTURE(number);
		CHECK(errors == Errors{ENOENT, ENOENT, ENOENT});
	}
	tried.open();
	CHECK(owner.result() == PROFIL_STATE_RUNNING);
}

TEST_CASE_METHOD(AtRest, "another user's proof attaches nobody else", "[hostile]")
{
	const PerfForUsers users;
	const Child target = as_user(victim, [] { pause(); });
	const auto error = in_child([&] {
		/* The proof of a user who may attach, passed on to one who may not. */
		need(setresgid(victim, victim, 0), "setresgid");
		need(setresuid(victim, victim, 0), "setresuid");
		const Fd proof = user_proof(target.pid());

		need(setresuid(0, 0, 0), "setresuid");
		become(attacker, 0);
		need_that(open_proof({.pid = target.pid(), .exclude_kernel = true}).get() < 0,
			  "the attacker gets no proof themselves");
		return attach_error(proof.get());
	});

	CHECK(error == EACCES);
	CHECK(module_stat("images") == 0);
}

TEST_CASE_METHOD(AtRest, "no user but root stops the profiles of all, not even as root of a namespace",
		 "[hostile]")
{
	const Gate started, tried;
	ChildOf<uint32_t> other([&] {
		become(victim, 0);
		const Device device;
		const Memory counters(page);

		device.start(count_in(counters.at()));
		started.open();
		tried.wait();
		return uint32_t{device.status().state};
	});
	const auto try_to_stop = [] {
		profil_stop_all all_profiles = {};

		all_profiles.size = sizeof(all_profiles);
		return Device().call(PROFIL_STOP_ALL, &all_profiles);
	};

	started.wait();
	CHECK(in_child([&] {
		      become(attacker, 0);
		      return try_to_stop();
	      }) == EPERM);
	CHECK(in_child([&] {
		      become(attacker, 0);
		      enter_user_namespace();
		      return try_to_stop();
	      }) == EPERM);
	CHECK(in_child([&] {
		      become(attacker, perfmon | ptrace);
		      return try_to_stop();
	      }) == EPERM);
	tried.open();
	CHECK(other.result() == PROFIL_STATE_RUNNING);
}

namespace {

/** A user's process that attaches to another as often as it can, each time in a new session. */
class Crowd {
public:
	Crowd(pid_t target, uint32_t flags)
		: child_(as_user(attacker, [this, target, flags] {
			  std::vector<Device> sessions;
			  const Memory counters(page);
			  auto how = count_in(counters.at());
			  const Fd proof = user_proof(target);

			  how.flags = flags;
			  how.proof = proof.get();
			  do {
				  sessions.emplace_back();
				  result()->error = sessions.back().call(PROFIL_ATTACH, &how);
			  } while (!result()->error);
			  result()->attached = static_cast<int>(sessions.size()) - 1;
			  done_.open();
			  pause();
		  }))
	{
		done_.wait();
	}

	int attached() const { return result()->attached; }
	int error() const { return result()->error; }

private:
	struct Result {
		int attached, error;
	};

	Result *result() const { return shared_.at<Result>(); }

	Memory shared_{page, MAP_SHARED};
	Gate done_;
	Child child_;
};

} // namespace

TEST_CASE_METHOD(AtRest,
		 "a user's eight profiles of a process leave no room for other users', but do for root's",
		 "[hostile]")
{
	const PerfForUsers users;
	const Child target = as_user(attacker, [] { pause(); });
	const Crowd crowd(target.pid(), 0);
	const Memory counters(page);
	std::vector<Device> sessions(10);

	CHECK(crowd.attached() == 8);
	CHECK(crowd.error() == EBUSY);
	for (const Device &session : sessions)
		CHECK(attach_to(session, target.pid(), counters, PROFIL_FOLLOW) == 1);
}

TEST_CASE_METHOD(AtRest, "a user's 64 profiles of threads of a process leave room for 64 of root's",
		 "[hostile]")
{
	const PerfForUsers users;
	const Child target = as_user(attacker, [] { pause(); });
	const Crowd crowd(target.pid(), PROFIL_THREAD);
	const Memory counters(page);
	std::vector<Device> sessions(65);
	auto how = count_in(counters.at());
	const Fd proof = user_proof(target.pid());

	CHECK(crowd.attached() == 64);
	CHECK(crowd.error() == EBUSY);
	how.flags = PROFIL_THREAD;
	how.proof = proof.get();
	for (size_t i = 0; i < 64; i++)
		CHECK(sessions[i].call(PROFIL_ATTACH, &how) == 0);
	CHECK(sessions[64].call(PROFIL_ATTACH, &how) == EBUSY);
}

TEST_CASE_METHOD(AtRest, "a session whose descriptor another process keeps ends with PROFIL_STOP_ALL",
		 "[hostile]")
{
	const PerfForUsers users;
	const Gate attached;
	const Child keeper = as_user(attacker, [&] {
		auto device = std::make_unique<Device>();
		const Memory counters(page, MAP_SHARED);
		/* Its counters are the keeper's, so the profile would outlive all other processes. */
		attach_to(*device, getpid(), counters);
		const Child heir([] { pause(); });

		device.reset();
		attached.open();
		pause();
	});

	attached.wait();
	CHECK(module_stat("images") == 1);
	CHECK(pages_of(attacker) == 1);
	stop_all();
	CHECK(module_stat("images") == 0);
	CHECK(soon([] { return pages_of(attacker) == 0; }));
}

TEST_CASE_METHOD(AtRest, "a daemon closes a session's descriptor without waiting for the user's command",
		 "[hostile]")
{
	need_fuse();
	const PerfForUsers users;
	FuseFile file(page);
	const Memory shared(page, MAP_SHARED);
	const Gate opened, taken;
	const Child user = as_user(attacker, [&] {
		const Device device;
		const Memory ordinary(page);
		const auto profile = attach_to(device, getpid(), ordinary);
		const FuseMemory memory(file);
		const auto region = region_on(memory.at());
		auto change = describe_update(profile, std::span(&region, 1));

		*shared.at<int>() = device.fd();
		opened.open();
		taken.wait();
		file.hold();
		device.call(PROFIL_UPDATE, &change);
	});
	/* As if the user had sent it the descriptor through a socket. */
	Child daemon([&] {
		opened.wait();
		const Fd process(
			need(static_cast<int>(syscall(SYS_pidfd_open, user.pid(), 0)), "pidfd_open"));
		Fd session(
			need(static_cast<int>(syscall(SYS_pidfd_getfd, process.get(), *shared.at<int>(), 0)),
			     "pidfd_getfd"));

		taken.open();
		file.await_reader();
		session.reset();
	});

	CHECK(ends(daemon));
	CHECK(file.waiting() > 0);
	kill(user.pid(), SIGKILL);
	file.abort();
	CHECK(daemon.reap() == 0);
	CHECK(ends(user));
}
