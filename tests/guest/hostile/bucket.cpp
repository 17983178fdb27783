// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/hostile/bucket.cpp  A user who fills a bucket of the table of bindings.  Only
 * a module of `scripts/build/kmod --one-bucket` has all bindings in one bucket.
 */
#include "tests/guest/hostile/support.h"
#include "tests/guest/record/support.h"
#include "tests/support/programs.h"

#include <deque>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>

using namespace guest;
using namespace guest::hostile;

namespace {

const std::string copied = "/tmp/profil-short";

/** True if the bindings of two address spaces share a bucket. */
bool one_bucket()
{
	const Child targets[] = {Child([] { pause(); }), Child([] { pause(); })};

	Recording recording;

	recording.begin(targets[0].pid());
	need_that(recording.add(targets[1].pid()) == 0, "a process is added");
	return module_stat("longest_chain") == 2;
}

struct Filled {
	unsigned bindings;
	int error;
	unsigned lost; /**< forks_lost after one of the processes executed a program */
};

/** Become this user, and record own processes until there is no room for another one. */
Filled fill(id_t user, const Gate &full, const Gate &done)
{
	const Gate execute;
	std::deque<Child> targets;
	Filled filled = {};

	become(user, 0);
	Recording recording(256, period_nobody);

	targets.emplace_back([&] {
		execute.wait();
		/* Until the exec, the child shares this memory, so the sweep cannot make room. */
		char *const arguments[] = {const_cast<char *>(copied.c_str()), nullptr};
		pid_t pid;

		errno = posix_spawn(&pid, copied.c_str(), nullptr, nullptr, arguments, environ);
		need(errno ? -1 : 0, copied.c_str());
		need(waitpid(pid, nullptr, 0), "waitpid");
	});
	filled.error = recording.try_begin_with(user_proof(targets[0].pid()));
	while (!filled.error) {
		filled.bindings++;
		targets.emplace_back([] { pause(); });
		filled.error = recording.add_with(user_proof(targets.back().pid()));
	}
	full.open();
	done.wait();
	execute.open();
	targets[0].join();
	filled.lost = recording.status().forks_lost;
	return filled;
}

} // namespace

TEST_CASE_METHOD(AtRest,
		 "one user cannot fill a bucket of bindings, and two cannot lock privileged users out of it",
		 "[hostile][one-bucket]")
{
	if (!one_bucket())
		support::skip("address spaces have buckets of their own in this module");
	const PerfForUsers users;
	const Gate full, others_full, done, others_done;
	const Child target([] { pause(); });
	Recording roots;

	std::filesystem::copy_file(program("record_short"), copied,
				   std::filesystem::copy_options::overwrite_existing);
	ChildOf<Filled> hostile([&] { return fill(attacker, full, done); });
	full.wait();
	ChildOf<Filled> other([&] { return fill(victim, others_full, others_done); });
	others_full.wait();
	CHECK(roots.try_begin(target.pid()) == 0);
	done.open();
	const Filled most = hostile.result();
	others_done.open();
	const Filled rest = other.result();
	std::filesystem::remove(copied);
	/* A user may have twice as many bindings in a bucket as in an address space. */
	CHECK(most.bindings == 144);
	CHECK(most.error == EBUSY);
	/* An exec that finds no room is reported. */
	CHECK(most.lost == 1);
	CHECK(rest.bindings == 256 - 144);
	CHECK(rest.error == EBUSY);
}
