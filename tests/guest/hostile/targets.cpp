// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/guest/hostile/targets.h"

#include <array>
#include <csignal>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace guest::hostile {

namespace {

class Stopped : public Target {
public:
	pid_t pid() const override { return child_.pid(); }
	void stand_still() override
	{
		int status;

		need(kill(pid(), SIGSTOP), "SIGSTOP");
		need(waitpid(pid(), &status, WUNTRACED), "waitpid");
		need_that(WIFSTOPPED(status), "the target is stopped");
	}

private:
	const Child child_ = as_user(attacker, [] { pause(); });
};

class InVfork : public Target {
public:
	pid_t pid() const override { return child_.pid(); }
	void stand_still() override
	{
		go_.open();
		need_that(soon([this] { return state_of(pid()) == 'D'; }), "the target waits for its child");
	}

private:
	static int be_child(void *parent)
	{
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* The parent may already have been killed. */
		while (getppid() == *static_cast<pid_t *>(parent))
			pause();
		return 0;
	}

	const Gate go_;
	const Child child_ = as_user(attacker, [this] {
		std::array<char, 0x4000> stack;
		pid_t self = getpid();

		go_.wait();
		need(clone(be_child, stack.end(), CLONE_VM | CLONE_VFORK | SIGCHLD, &self), "clone");
	});
};

/** True if the task is in an mmap(2) that waits for a page. */
bool maps(pid_t thread)
{
	const auto directory = "/proc/" + std::to_string(thread);

	return thread && state_of(thread) == 'D' &&
	       read_file(directory + "/syscall").starts_with(std::to_string(SYS_mmap) + " ");
}

/**
 * Memory whose mmap_lock is held for writing: one task reads a page of a file, and a second, which
 * maps the file, waits for that page with the lock held.
 */
class Held {
public:
	/**
	 * Called by the test: let the target do its next two steps, and wait until it holds the
	 * lock.
	 */
	void take_lock()
	{
		go_.open();
		file_.await_reader();
		go_.open();
		need_that(soon([this] { return maps(*mapper()); }), "mmap_lock is held");
	}
	/** Called by the test: let the target take its next step. */
	void let_act() const { go_.open(); }
	/** Called by the target before each of its steps. */
	void await_turn() const { go_.wait(); }
	/**
	 * read_page() and map_again() run in processes or threads that share the memory; neither
	 * returns before abort().
	 */
	void read_page() const
	{
		file_.hold();
		static_cast<void>(*static_cast<volatile char *>(memory_));
	}
	void map_again() const
	{
		/* Ask the kernel: in StuckExec, the caller is not a thread of libc's. */
		*mapper() = static_cast<pid_t>(syscall(SYS_gettid));
		mmap(nullptr, page, PROT_READ, MAP_PRIVATE, descriptor_, 0);
	}

	void open()
	{
		descriptor_ = need(::open(file_.path().c_str(), O_RDWR | O_CLOEXEC), "the FUSE file");
		memory_ = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor_, 0);
		need_that(memory_ != MAP_FAILED, "mmap");
	}
	void abort() { file_.abort(); }

private:
	std::atomic<pid_t> *mapper() const { return shared_.at<std::atomic<pid_t>>(); }

	const Gate go_;
	const Memory shared_{page, MAP_SHARED};
	FuseFile file_{page};
	int descriptor_ = -1;
	void *memory_ = nullptr;
};

class MemoryHeld : public Target {
public:
	~MemoryHeld() override { held_.abort(); }

	pid_t pid() const override { return child_.pid(); }
	void stand_still() override { held_.take_lock(); }
	void let_go() override { held_.abort(); }

private:
	void run()
	{
		held_.open();
		held_.await_turn();
		std::thread reader([this] { held_.read_page(); });
		held_.await_turn();
		std::thread mapper([this] { held_.map_again(); });
		for (;;)
			pause();
	}

	Held held_;
	const Child child_ = as_user(attacker, [this] { run(); });
};

/**
 * Shares its memory with two processes, not threads: the exec would first wait for threads to end.
 */
class StuckExec : public Target {
public:
	~StuckExec() override { held_.abort(); }

	pid_t pid() const override { return child_.pid(); }
	void stand_still() override
	{
		held_.take_lock();
		held_.let_act();
		await_exec();
	}
	void let_go() override { held_.abort(); }

private:
	/**
	 * Wait until perf_event_open(2) waits for the exec.  Do not look at the process's files in
	 * /proc: some of these reads wait, too.
	 */
	void await_exec() const
	{
		const Child prober([this] {
			for (;;)
				open_proof({.pid = pid(), .exclude_kernel = true});
		});
		const auto call = "/proc/" + std::to_string(prober.pid()) + "/syscall";

		need_that(soon([&] {
				  return asleep(prober.pid()) &&
					 read_file(call).starts_with(std::to_string(SYS_perf_event_open) +
								     " ");
			  }),
			  "the exec waits");
	}

	static int read_page(void *self)
	{
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		static_cast<StuckExec *>(self)->held_.read_page();
		for (;;)
			pause();
	}
	static int map_again(void *self)
	{
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		static_cast<StuckExec *>(self)->held_.map_again();
		for (;;)
			pause();
	}
	void run()
	{
		static std::array<char, 0x8000> stacks[2];
		/*
		 * On the stack, whose page is present: a fault would make the exec wait for
		 * mmap_lock too early.
		 */
		char name[] = "/bin/true";
		char *const arguments[] = {name, nullptr};

		held_.open();
		held_.await_turn();
		need(clone(read_page, stacks[0].end(), CLONE_VM | SIGCHLD, this), "clone");
		held_.await_turn();
		need(clone(map_again, stacks[1].end(), CLONE_VM | SIGCHLD, this), "clone");
		held_.await_turn();
		syscall(SYS_execve, name, arguments, arguments + 1);
	}

	Held held_;
	const Child child_ = as_user(attacker, [this] { run(); });
};

template <typename Kind> std::unique_ptr<Target> make()
{
	return std::make_unique<Kind>();
}

} // namespace

char state_of(pid_t pid, pid_t thread)
{
	const auto stat = read_file("/proc/" + std::to_string(pid) +
				    (thread ? "/task/" + std::to_string(thread) : "") + "/stat");

	return stat[stat.rfind(')') + 2];
}

std::unique_ptr<Target> stuck_exec()
{
	return make<StuckExec>();
}

const Standstill standstills[4] = {
	{"stopped by a signal", make<Stopped>, false},
	{"in vfork", make<InVfork>, false},
	{"with mmap_lock held", make<MemoryHeld>, true},
	{"in an exec that waits for mmap_lock", make<StuckExec>, true},
};

} // namespace guest::hostile
