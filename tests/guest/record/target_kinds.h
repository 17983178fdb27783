// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/record/target_kinds.h  One process of each kind that a test tries to record. */
#pragma once

#include "tests/guest/support/credentials.h"
#include "tests/support/programs.h"

#include <fcntl.h>
#include <functional>
#include <memory>
#include <sys/mman.h>
#include <vector>

namespace guest {

/** A process that waits to be recorded; optionally the first one of a pid namespace. */
class WaitingTarget {
public:
	WaitingTarget(const std::function<void()> &outside, bool forks, const std::function<void()> &inside)
		: child_([&] {
			  outside();
			  if (forks) {
				  const pid_t child = need(fork(), "fork");
				  if (child) {
					  *pid() = child;
					  told_.open();
					  wait_for_ever();
				  }
				  told_.wait();
			  }
			  need(prctl(PR_SET_PDEATHSIG, SIGKILL), "PR_SET_PDEATHSIG");
			  inside();
			  ready_.open();
			  wait_for_ever();
		  })
	{
		if (!forks)
			*pid() = child_.pid();
		ready_.wait();
	}
	volatile pid_t *pid() const { return place_.at<volatile pid_t>(); }

private:
	[[noreturn]] static void wait_for_ever()
	{
		for (;;)
			pause();
	}
	const Memory place_{4096, MAP_SHARED};
	const Gate told_, ready_;
	const Child child_;
};

/** One process of each kind, made by this process. */
class TargetKinds {
public:
	/** The kinds of processes, in the order in which they are made. */
	enum Kind { plain, closed, other, root, set_uid, user_ns, pid_ns, mount_ns, container, kinds };
	static constexpr const char *names[kinds] = {
		"nobody's process",	 "nobody's, not dumpable",
		"another user's",	 "root's",
		"a set-uid program",	 "in a user namespace",
		"in a pid namespace",	 "in a mount namespace",
		"in nobody's container",
	};

	TargetKinds()
	{
		const auto nothing = [] {};
		const auto in = [](int flags) { need(unshare(flags), "unshare"); };

		add(nothing, false, as_nobody);
		add(nothing, false, [] {
			as_nobody();
			need(prctl(PR_SET_DUMPABLE, 0), "PR_SET_DUMPABLE");
		});
		add(nothing, false, [] { become(somebody, 0); });
		add(nothing, false, nothing);
		pids_.push_back(exec_set_uid());
		add(as_nobody, false, enter_user_namespace);
		add([=] { in(CLONE_NEWPID); }, true, as_nobody);
		add([=] { in(CLONE_NEWNS); }, false, as_nobody);
		add(
			[=] {
				as_nobody();
				enter_user_namespace();
				in(CLONE_NEWPID | CLONE_NEWNS);
			},
			true, nothing);
	}

	pid_t pid(int kind) const { return pids_[kind]; }

private:
	void add(const std::function<void()> &outside, bool forks, const std::function<void()> &inside)
	{
		targets_.push_back(std::make_unique<WaitingTarget>(outside, forks, inside));
		const pid_t pid = *targets_.back()->pid();
		pids_.push_back(pid);
	}
	/** Start a set-uid program whose input ends when this process does. */
	pid_t exec_set_uid()
	{
		int ends[2];

		need(pipe2(ends, O_CLOEXEC), "pipe2");
		const Fd input(ends[0]);
		input_ = Fd(ends[1]);
		program_child_ = std::make_unique<Child>([&] {
			as_nobody();
			dup2(input.get(), 0);
			dup2(open("/dev/null", O_WRONLY), 1);
			execl(program_.path().c_str(), "program", "wait", nullptr);
		});
		const auto status = "/proc/" + std::to_string(program_child_->pid()) + "/status";
		need_that(soon([&] {
				  return read_file(status).find("Uid:\t65534\t0\t0\t0\n") !=
					 std::string::npos;
			  }),
			  "the set-uid program runs");
		return program_child_->pid();
	}

	const SetUidProgram program_{"uapi_target"};
	Fd input_;
	std::unique_ptr<Child> program_child_;
	std::vector<std::unique_ptr<WaitingTarget>> targets_;
	std::vector<pid_t> pids_;
};

} // namespace guest
