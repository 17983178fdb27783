// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/hostile/support.h  Shared by the tests of hostile users: the users, checks
 * that something ends soon whatever another user does, and the ways in which a user's command can
 * wait for a page.
 */
#pragma once

#include "tests/guest/support/burner.h"
#include "tests/guest/support/credentials.h"
#include "tests/guest/support/device.h"
#include "tests/guest/support/fuse.h"
#include "tests/guest/support/places.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

#include <cerrno>
#include <poll.h>
#include <vector>

namespace guest::hostile {

constexpr size_t page = 4096;
constexpr id_t attacker = somebody, victim = nobody;

/** Lets users open perf events; Debian's default does not. */
struct PerfForUsers {
	const Setting setting{"/proc/sys/kernel/perf_event_paranoid", "2"};
};

/** Skip the test if this kernel has no FUSE. */
inline void need_fuse()
{
	if (!support::fuse_available())
		support::skip("this kernel has no FUSE");
}

/** Starts a process, and waits until it has become a user without capabilities. */
inline Child as_user(id_t user, const std::function<void()> &run)
{
	const Gate ready;
	Child child([&] {
		become(user, 0);
		ready.open();
		run();
	});

	ready.wait();
	return child;
}

/** True if the process ends within a minute of real time.  It is not reaped. */
inline bool ends(pid_t pid)
{
	const Fd fd(need(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)), "pidfd_open"));
	pollfd end = {fd.get(), POLLIN, 0};

	return need(poll(&end, 1, 60'000), "poll") > 0;
}

inline bool ends(const Child &child)
{
	return ends(child.pid());
}

inline void stop_all(const Device &device = Device())
{
	profil_stop_all all = {};

	all.size = sizeof(all);
	const int error = device.call(PROFIL_STOP_ALL, &all);
	errno = error;
	need(error ? -1 : 0, "PROFIL_STOP_ALL");
}

/** True if no image is left, so nothing is counted. */
inline bool nothing_counts()
{
	return module_stat("images") == 0;
}

/** The pages that the module has pinned for a user. */
inline uint64_t pages_of(id_t user)
{
	return in_child([=] {
		profil_info info = {};

		become(user, 0);
		info.size = sizeof(info);
		need_that(Device().call(PROFIL_INFO, &info) == 0, "PROFIL_INFO");
		return uint64_t{info.pages_used};
	});
}

/** A proof for which a user needs no capability. */
inline Fd user_proof(pid_t pid)
{
	Fd proof = open_proof({.pid = pid, .exclude_kernel = true});

	need(proof.get(), "perf_event_open");
	return proof;
}

inline profil_start count_in(const void *counter)
{
	return describe(region_on(counter), period_nobody);
}

/** Record a process with user_proof(), in all of this memory.  Returns 0 or the error. */
inline int try_record(const Device &device, pid_t pid, const Memory &table, uint32_t flags = 0)
{
	auto how = describe_recording(table, flags, period_nobody);
	const Fd proof = user_proof(pid);

	how.proof = proof.get();
	return device.call(PROFIL_RECORD, &how);
}

/** try_record() that throws when it fails.  Returns the recording's number. */
inline uint32_t record(const Device &device, pid_t pid, const Memory &table, uint32_t flags = 0)
{
	return device.record(describe_recording(table, flags, period_nobody), user_proof(pid).get());
}

/** Give a recording a table of one page.  Returns 0 or the error. */
inline int change_table(const Device &device, uint32_t profile, const void *table)
{
	auto change = describe_table(profile, table, page);

	return device.call(PROFIL_TABLE, &change);
}

/** A way in which a user's process ends up waiting for a page of a FUSE file. */
struct Wait {
	const char *name;
	/** Runs as the attacker.  Calls hold(), and does not return before go_on() or abort(). */
	void (*run)(const FuseFile &file);
};

/** Waits with the lock of a profile held, where others can find the profile. */
extern const Wait table_waits, status_waits, recheck_waits;
/** Waits without a lock. */
extern const Wait start_waits, tick_waits, first_start_waits, recording_waits, argument_waits, regions_wait;
/** The waits that occur before the command has a profile, and all waits. */
extern const std::vector<Wait> unlocked_waits, all_waits;

/** Check that the child ends although a read of the file waits.  Ends the file system. */
inline void check_not_kept(Child &child, FuseFile &file)
{
	CHECK(ends(child));
	CHECK(file.waiting() > 0);
	file.abort();
	CHECK(child.reap() == 0);
}

/** A process of the attacker that waits in one of these ways. */
class Waiter {
public:
	Waiter(const FuseFile &file, const Wait &wait) : child_(as_user(attacker, [&] { wait.run(file); }))
	{
		file.await_reader();
	}

	pid_t pid() const { return child_.pid(); }
	bool killed()
	{
		kill(child_.pid(), SIGKILL);
		return ends(child_);
	}

private:
	Child child_;
};

} // namespace guest::hostile
