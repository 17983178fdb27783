// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/hostile/others.cpp  The profiles and processes of other users are protected.
 */
#include "tests/guest/hostile/support.h"

#include <csignal>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

using namespace guest;
using namespace guest::hostile;

namespace {

/** The errors of all commands on the recording with this number. */
struct Errors {
	int stop, status, table, add, describe;

	bool operator==(const Errors &) const = default;
};

Errors try_all(const Device &device, uint32_t number)
{
	const Memory table(page);
	const Fd proof = user_proof(getpid());
	profil_stop stop = {};
	profil_status status = {};
	profil_add add = describe_addition(number, proof.get());
	profil_describe about = {};

	stop.size = sizeof(stop);
	status.size = sizeof(status);
	about.size = sizeof(about);
	stop.profile = status.profile = about.profile = number;
	return {device.call(PROFIL_STOP, &stop), device.call(PROFIL_STATUS, &status),
		change_table(device, number, table.at()), device.call(PROFIL_ADD, &add),
		device.call(PROFIL_DESCRIBE, &about)};
}

int record_error(int proof)
{
	const Device device;
	const Memory table(page);
	auto how = describe_recording(table, 0, period_nobody);

	how.proof = proof;
	return device.call(PROFIL_RECORD, &how);
}

} // namespace

TEST_CASE_METHOD(AtRest, "the number of another user's recording means nothing in one's own session",
		 "[hostile]")
{
	const PerfForUsers users;
	const Gate recorded, tried;
	ChildOf<uint32_t> owner([&] {
		become(victim, 0);
		const Device device;
		const Memory table(page);
		const auto profile = record(device, getpid(), table);

		need_that(profile == 1, "the first recording of a session has the number 1");
		recorded.open();
		tried.wait();
		return uint32_t{device.status(profile).state};
	});

	recorded.wait();
	for (const uint32_t number : {1U, 2U, 0xffffffffU}) {
		const auto errors = in_child([=] {
			become(attacker, 0);
			return try_all(Device(), number);
		});
		CAPTURE(number);
		CHECK(errors == Errors{ENOENT, ENOENT, ENOENT, ENOENT, ENOENT});
	}
	tried.open();
	CHECK(owner.result() == PROFIL_STATE_RUNNING);
}

TEST_CASE_METHOD(AtRest, "a proof passed on to a user who may not record its target is refused", "[hostile]")
{
	const PerfForUsers users;
	const Child target = as_user(victim, [] { pause(); });
	const auto error = in_child([&] {
		/* The proof of a user who may record, passed on to one who may not. */
		need(setresgid(victim, victim, 0), "setresgid");
		need(setresuid(victim, victim, 0), "setresuid");
		const Fd proof = user_proof(target.pid());

		need(setresuid(0, 0, 0), "setresuid");
		become(attacker, 0);
		need_that(open_proof({.pid = target.pid(), .exclude_kernel = true}).get() < 0,
			  "the attacker gets no proof themselves");
		return record_error(proof.get());
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

/** Records a process in one session after another until that fails. */
struct Crowd {
	std::vector<Device> sessions;
	const Memory table{page};
	int error;

	Crowd(pid_t target, uint32_t flags)
	{
		do
			error = try_record(sessions.emplace_back(), target, table, flags);
		while (!error);
	}
	unsigned recordings() const { return static_cast<unsigned>(sessions.size()) - 1; }
};

/** A Crowd in a process of the attacker. */
class UsersCrowd {
public:
	UsersCrowd(pid_t target, uint32_t flags)
		: child_(as_user(attacker, [this, target, flags] {
			  const Crowd crowd(target, flags);

			  *result() = {crowd.recordings(), crowd.error};
			  done_.open();
			  pause();
		  }))
	{
		done_.wait();
	}

	unsigned recordings() const { return result()->recordings; }
	int error() const { return result()->error; }

private:
	struct Result {
		unsigned recordings;
		int error;
	};

	Result *result() const { return shared_.at<Result>(); }

	Memory shared_{page, MAP_SHARED};
	Gate done_;
	Child child_;
};

} // namespace

TEST_CASE_METHOD(AtRest,
		 "a user's eight recordings of a process leave no room for other users', but do for root's",
		 "[hostile]")
{
	const PerfForUsers users;
	const Child target = as_user(attacker, [] { pause(); });
	const UsersCrowd crowd(target.pid(), 0);
	const Memory table(page);
	std::vector<Device> sessions(10);

	CHECK(crowd.recordings() == 8);
	CHECK(crowd.error() == EBUSY);
	for (const Device &session : sessions)
		CHECK(record(session, target.pid(), table, PROFIL_FOLLOW) == 1);
}

TEST_CASE_METHOD(AtRest, "a user's 64 recordings of threads of a process leave room for 64 of root's",
		 "[hostile]")
{
	const PerfForUsers users;
	const Child target = as_user(attacker, [] { pause(); });
	const UsersCrowd crowd(target.pid(), PROFIL_THREAD);
	const Crowd roots(target.pid(), PROFIL_THREAD);

	CHECK(crowd.recordings() == 64);
	CHECK(crowd.error() == EBUSY);
	CHECK(roots.recordings() == 64);
	CHECK(roots.error == EBUSY);
}

TEST_CASE_METHOD(AtRest, "a process has room for 256 recordings, whoever begins them", "[hostile]")
{
	const Child target([] { pause(); });
	Crowd crowd(target.pid(), 0);

	/* Other processes could have bindings in the same bucket, but none does now. */
	CHECK(crowd.recordings() == 256);
	CHECK(crowd.error == EBUSY);
	CHECK(module_stat("longest_chain") == 256);
	/* A session that ends makes room. */
	crowd.sessions.front().close();
	CHECK(soon([&] { return try_record(crowd.sessions.back(), target.pid(), crowd.table) == 0; }));
}

TEST_CASE_METHOD(AtRest, "a session whose descriptor another process keeps ends with PROFIL_STOP_ALL",
		 "[hostile]")
{
	const PerfForUsers users;
	const Gate recorded;
	const Child keeper = as_user(attacker, [&] {
		auto device = std::make_unique<Device>();
		const Memory table(page, MAP_SHARED);
		/*
		 * The table is in the keeper's memory, so the recording would outlive all other
		 * processes.
		 */
		record(*device, getpid(), table);
		const Child heir([] { pause(); });

		device.reset();
		recorded.open();
		pause();
	});

	recorded.wait();
	CHECK(module_stat("images") == 1);
	CHECK(locked_bytes(keeper.pid()) == page);
	stop_all();
	CHECK(module_stat("images") == 0);
	CHECK(soon([&] { return locked_bytes(keeper.pid()) == 0; }));
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
		const auto profile = record(device, getpid(), ordinary);
		const FuseMemory memory(file);

		*shared.at<int>() = device.fd();
		opened.open();
		taken.wait();
		file.hold();
		change_table(device, profile, memory.at());
	});
	/* As if the user had sent the daemon the descriptor through a socket. */
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
