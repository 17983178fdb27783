// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/hostile/privileged_exec.cpp  A followed process executes a program that its watcher
 * may not record: a watch must not outlive the permission that it was granted with.
 */
#include "tests/guest/hostile/support.h"
#include "tests/guest/record/support.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <set>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

using namespace guest;
using namespace guest::hostile;

namespace {

/** A program that some users may run but not trace. */
struct Guarded {
	const char *name;
	void (*guard)(const std::string &path);
};

void give_capability(const std::string &path)
{
	vfs_cap_data capability = {};

	capability.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE;
	capability.data[0].permitted = bit(CAP_NET_BIND_SERVICE);
	need(chmod(path.c_str(), 0755), "chmod");
	if (setxattr(path.c_str(), "security.capability", &capability, XATTR_CAPS_SZ_2, 0) == 0)
		return;
	if (errno == EOPNOTSUPP)
		support::skip("files in memory have no capabilities on this kernel");
	need(-1, "setxattr");
}

const Guarded set_uid = {"set-uid",
			 [](const std::string &path) { need(chmod(path.c_str(), 04755), "chmod"); }};
const Guarded set_gid = {"set-gid",
			 [](const std::string &path) { need(chmod(path.c_str(), 02755), "chmod"); }};
const Guarded unreadable = {"not readable",
			    [](const std::string &path) { need(chmod(path.c_str(), 0711), "chmod"); }};
const Guarded with_capability = {"with a capability", give_capability};

class Pipe {
public:
	Pipe()
	{
		int ends[2];

		need(pipe2(ends, O_CLOEXEC), "pipe2");
		from = Fd(ends[0]);
		to = Fd(ends[1]);
	}
	Fd from, to;
};

/** A process of the attacker that executes the guarded program, and then acts, when told to. */
class Family {
public:
	explicit Family(const Guarded &guarded, bool no_new_privs = false)
		: child_(as_user(attacker, [=, this] { run(no_new_privs); }))
	{
		guarded.guard(program_.path());
	}

	pid_t pid() const { return child_.pid(); }
	void execute() const
	{
		go_.open();
		await_answer();
	}
	/** Makes the process fork, execute and spin. */
	void live() const
	{
		need(static_cast<int>(write(orders_.to.get(), "+", 1)), "an order");
		await_answer();
	}

private:
	void await_answer() const
	{
		char answer;

		need_that(read(answers_.from.get(), &answer, 1) == 1, "an answer of the family");
	}
	void run(bool no_new_privs) const
	{
		go_.wait();
		if (no_new_privs)
			need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "PR_SET_NO_NEW_PRIVS");
		dup2(orders_.from.get(), 0);
		dup2(answers_.to.get(), 1);
		execl(program_.path().c_str(), "family", nullptr);
		need(-1, "execl");
	}

	const SetUidProgram program_{"hostile_family"};
	const Gate go_;
	Pipe orders_, answers_;
	const Child child_;
};

/** A recording's view of a family. */
struct Seen {
	bool ended;		/* no program of the process is live */
	unsigned others, execs; /* other processes, and programs that the process has executed */
	uint32_t processes;	/* after live() */
	uint64_t ticks;		/* of any outcome, during live() */
};

void look(const Recording &recording, pid_t pid, Seen &seen)
{
	std::set<pid_t> others;
	unsigned programs = 0, ended = 0;

	seen.execs = 0;
	for (uint32_t number = 1; number <= recording.described(0).numbers; number++) {
		const Described one = recording.described(number);

		if (one.kind != PROFIL_KIND_OWNER || !one.pid)
			continue;
		if (one.pid != pid) {
			others.insert(one.pid);
			continue;
		}
		seen.execs += one.parent != 0;
		programs++;
		ended += one.state == PROFIL_OWNER_ENDED;
	}
	seen.ended = programs && ended == programs;
	seen.others = static_cast<unsigned>(others.size());
}

/** Let a watcher record a family that executes the guarded program and then lives. */
Seen watch(const Family &family, uint64_t capabilities)
{
	return in_child([&] {
		Seen seen = {};

		become(attacker, capabilities);
		Recording recording(1024, period_nobody);
		recording.begin_with(user_proof(family.pid()), PROFIL_FOLLOW | PROFIL_RECORD_PROCESSES);
		family.execute();
		soon([&] {
			look(recording, family.pid(), seen);
			return seen.ended || seen.execs;
		});
		const auto before = recording.status().ticks;
		family.live();
		look(recording, family.pid(), seen);
		seen.ticks = recording.status().ticks - before;
		if (seen.ended)
			soon([&] { return recording.status().processes == 0; });
		seen.processes = recording.status().processes;
		return seen;
	});
}

void check_unseen(const Guarded &guarded)
{
	const PerfForUsers users;
	const Family family(guarded);
	const auto seen = watch(family, 0);

	CHECK(seen.ended);
	CHECK(seen.execs == 0);
	CHECK(seen.others == 0);
	CHECK(seen.processes == 0);
	CHECK(seen.ticks == 0);
	/* perf refuses the process, too. */
	CHECK(in_child([&] {
		      become(attacker, 0);
		      const Fd proof = open_proof({.pid = family.pid(), .exclude_kernel = true});
		      return proof.get() < 0 ? errno : 0;
	      }) == EACCES);
}

void check_seen(const Seen &seen)
{
	CHECK_FALSE(seen.ended);
	CHECK(seen.execs >= 1);
	CHECK(seen.others == 3);
	CHECK(seen.processes >= 1);
	CHECK(seen.ticks > 0);
}

} // namespace

TEST_CASE_METHOD(AtRest, "a watcher with CAP_PERFMON goes on following a process that executes any program",
		 "[hostile]")
{
	const PerfForUsers users;

	for (const Guarded &guarded : {set_uid, set_gid, unreadable, with_capability}) {
		CAPTURE(guarded.name);
		check_seen(watch(Family(guarded), perfmon));
	}
}

TEST_CASE_METHOD(AtRest, "a process to which a set-uid program gives nothing goes on being followed",
		 "[hostile]")
{
	const PerfForUsers users;

	check_seen(watch(Family(set_uid, true), 0));
}

TEST_CASE_METHOD(AtRest, "a watch ends when its process executes a set-uid program", "[hostile]")
{
	check_unseen(set_uid);
}

TEST_CASE_METHOD(AtRest, "a watch ends when its process executes a set-gid program", "[hostile]")
{
	check_unseen(set_gid);
}

TEST_CASE_METHOD(AtRest, "a watch ends when its process executes a program with a capability", "[hostile]")
{
	check_unseen(with_capability);
}

TEST_CASE_METHOD(AtRest, "a watch ends when its process executes a program that it may not read", "[hostile]")
{
	check_unseen(unreadable);
}
