// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/hostile/stop_all.cpp  PROFIL_STOP_ALL is root's means against users: it ends
 * every profile, and no user can keep it from returning.
 */
#include "tests/guest/hostile/targets.h"

#include <csignal>
#include <sys/syscall.h>
#include <unistd.h>

using namespace guest;
using namespace guest::hostile;

namespace {

/** A profile of another user, unrelated to the attacker. */
class Witness {
public:
	Witness() { started_.wait(); }
	/** True if the profile has ended. */
	bool ended()
	{
		look_.open();
		return child_.result() == PROFIL_STATE_NONE;
	}

private:
	const Gate started_, look_;
	ChildOf<uint32_t> child_{[this] {
		become(victim, 0);
		const Device device;
		const Memory counters(page);

		device.start(count_in(counters.at()));
		started_.open();
		look_.wait();
		return uint32_t{device.status().state};
	}};
};

/** Stops every profile while a process of the attacker waits, perhaps with a lock held. */
void check_stop_all(const Wait &wait)
{
	need_fuse();
	const PerfForUsers users;
	FuseFile file(page);
	Witness witness;
	Waiter waiter(file, wait);
	Child root([] { stop_all(); });
	const bool prompt = ends(root);

	CHECK(prompt);
	CHECK(file.waiting() > 0);
	CHECK((!prompt || witness.ended()));
	CHECK((!prompt || soon([] { return nothing_counts(); })));
	kill(waiter.pid(), SIGKILL);
	file.abort();
	CHECK(root.reap() == 0);
	CHECK(waiter.killed());
	CHECK(soon([] { return pages_of(attacker) == 0; }));
}

} // namespace

TEST_CASE_METHOD(AtRest, "PROFIL_STOP_ALL returns while a start waits for a page", "[hostile]")
{
	check_stop_all(start_waits);
}

TEST_CASE_METHOD(AtRest, "PROFIL_STOP_ALL returns while another table waits for a page", "[hostile]")
{
	check_stop_all(table_waits);
}

TEST_CASE_METHOD(AtRest, "PROFIL_STOP_ALL returns while a status waits for a page", "[hostile]")
{
	check_stop_all(status_waits);
}

TEST_CASE_METHOD(AtRest, "PROFIL_STOP_ALL returns while the recheck after a tick waits for a page",
		 "[hostile]")
{
	check_stop_all(recheck_waits);
}

TEST_CASE_METHOD(AtRest, "PROFIL_STOP_ALL returns while a tick waits for the page of its counter",
		 "[hostile]")
{
	check_stop_all(tick_waits);
}

TEST_CASE_METHOD(AtRest, "PROFIL_STOP_ALL returns while a recording waits for a process in exec", "[hostile]")
{
	need_fuse();
	const PerfForUsers users;
	const Gate proven, still;
	const auto target = stuck_exec();
	Child session = as_user(attacker, [&] {
		const Device device;
		const Memory table(page);
		auto how = describe_recording(table, 0, period_nobody);
		const Fd proof = user_proof(target->pid());

		proven.open();
		still.wait();
		how.proof = proof.get();
		device.call(PROFIL_RECORD, &how);
	});
	const auto in_command = [&] {
		return state_of(session.pid()) == 'D' &&
		       read_file("/proc/" + std::to_string(session.pid()) + "/syscall")
			       .starts_with(std::to_string(SYS_ioctl) + " ");
	};

	proven.wait();
	target->stand_still();
	still.open();
	REQUIRE(soon(in_command));
	Child root([] { stop_all(); });
	CHECK(ends(root));
	CHECK(in_command());
	kill(session.pid(), SIGKILL);
	CHECK(ends(session));
	target->let_go();
	CHECK(root.reap() == 0);
}
