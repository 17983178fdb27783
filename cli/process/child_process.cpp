// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/process/child_process.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>

namespace cli {
namespace {

/** Both ends of a pipe. */
struct Pipe {
	Pipe()
	{
		std::array<int, 2> ends = {-1, -1};

		if (!pipe2(ends.data(), O_CLOEXEC)) {
			out = Fd(ends[0]);
			in = Fd(ends[1]);
		}
	}

	Fd out;
	Fd in;
};

/** Blocks all signals while it exists. */
class BlockedSignals {
public:
	BlockedSignals()
	{
		sigset_t all;

		sigfillset(&all);
		sigprocmask(SIG_SETMASK, &all, &before_);
	}
	BlockedSignals(const BlockedSignals &) = delete;
	BlockedSignals &operator=(const BlockedSignals &) = delete;
	~BlockedSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

private:
	sigset_t before_;
};

ssize_t read_fully(const Fd &fd, void *buffer, size_t bytes)
{
	ssize_t got;

	do {
		got = read(fd.get(), buffer, bytes);
	} while (got < 0 && errno == EINTR);
	return got;
}

/**
 * Runs in the child: waits until it is traced, then executes the program.  The pipe @p failure
 * closes at exec; if exec fails, it carries errno.
 */
[[noreturn]] void become(const std::vector<std::string> &arguments, const Pipe &go, const Pipe &failure)
{
	std::vector<char *> pointers;
	char byte = 0;

	for (const std::string &argument : arguments)
		pointers.push_back(const_cast<char *>(argument.c_str()));
	pointers.push_back(nullptr);
	if (read_fully(go.out, &byte, 1) == 1) {
		execvp(pointers[0], pointers.data());

		const int error = errno;

		[[maybe_unused]] const ssize_t written = write(failure.in.get(), &error, sizeof(error));
	}
	_exit(127);
}

bool at_exec(int status)
{
	return WIFSTOPPED(status) && status >> 8 == (SIGTRAP | (PTRACE_EVENT_EXEC << 8));
}

/** Waits for the exec stop; false if the child ends first. */
bool wait_for_exec(pid_t pid)
{
	int status = 0;

	for (;;) {
		if (waitpid(pid, &status, __WALL) < 0) {
			if (errno == EINTR)
				continue;
			return false;
		}
		if (at_exec(status))
			return true;
		if (!WIFSTOPPED(status))
			return false;
		/* Any other signal is for the child: deliver it. */
		const bool group_stop = status >> 16 == PTRACE_EVENT_STOP;

		ptrace(PTRACE_CONT, pid, nullptr, group_stop ? 0 : WSTOPSIG(status));
	}
}

Error exec_error(const std::string &program, const Pipe &failure)
{
	int error = 0;

	if (read_fully(failure.out, &error, sizeof(error)) != sizeof(error))
		return Error{program + ": the process ended before it could run the command"};
	if (error == ENOENT && program.find('/') == program.npos)
		return Error{program + ": command not found"};
	return system_error(program, error);
}

/* Signals stay blocked until @p prepare has given the child the command's signal actions instead of ours. */
pid_t fork_prepared(const std::function<void()> &prepare)
{
	const BlockedSignals blocked;
	const pid_t pid = fork();

	if (!pid && prepare)
		prepare();
	return pid;
}

/* Searches PATH as execvp(3) does. */
std::string find_program(const std::string &name)
{
	const char *path = std::getenv("PATH"); // NOLINT(concurrency-mt-unsafe): we have one thread
	std::string_view left = path ? path : "/bin:/usr/bin";

	if (name.find('/') != name.npos)
		return name;
	for (;;) {
		const size_t colon = left.find(':');
		const std::string_view directory = left.substr(0, colon);
		std::string candidate = std::string(directory.empty() ? "." : directory) + "/" + name;

		if (!access(candidate.c_str(), X_OK))
			return candidate;
		if (colon == left.npos)
			return {};
		left.remove_prefix(colon + 1);
	}
}

} // namespace

std::string privilege_warning(const std::string &program, uid_t user)
{
	struct stat about;
	const std::string path = find_program(program);

	if (!user || stat(path.c_str(), &about) || !S_ISREG(about.st_mode))
		return {};

	const bool set_user = about.st_mode & S_ISUID && about.st_uid != user;
	const bool set_group = (about.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP);
	const bool capable = getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;

	if (!set_user && !set_group && !capable)
		return {};
	return fmt::format("{}: runs without its {} privilege while it is profiled from its start (start it "
			   "separately and use -p, or start profil with that privilege)",
			   program,
			   set_user    ? "set-uid"
			   : set_group ? "set-gid"
				       : "file-capability");
}

Result<ChildProcess> ChildProcess::start(const std::vector<std::string> &arguments,
					 const std::function<void()> &prepare)
{
	const std::string &program = arguments.front();
	Pipe go;
	Pipe failure;

	if (!go.in || !failure.in)
		return system_error(program);

	const pid_t pid = fork_prepared(prepare);

	if (pid < 0)
		return system_error(program);
	if (!pid) {
		/* With its own write end open, the child would wait forever if the parent died now. */
		go.in.close();
		become(arguments, go, failure);
	}

	go.out.close();
	failure.in.close();
	ChildProcess command(pid, Fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))));

	if (ptrace(PTRACE_SEIZE, pid, nullptr, PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL))
		return Error{fmt::format("{}: cannot be traced up to its first instruction: {} (start it "
					 "separately and use -p)",
					 program, std::strerror(errno))};
	if (!command.pidfd_ || write(go.in.get(), "", 1) != 1)
		return system_error(program);
	if (wait_for_exec(pid))
		return command;
	/* The child has ended, and wait_for_exec() has reaped it. */
	command.resumed_ = command.reaped_ = true;
	return exec_error(program, failure);
}

ChildProcess::ChildProcess(ChildProcess &&other) noexcept
	: pid_(std::exchange(other.pid_, -1)), pidfd_(std::move(other.pidfd_)), resumed_(other.resumed_),
	  reaped_(other.reaped_), status_(other.status_)
{
}

ChildProcess::~ChildProcess()
{
	if (pid_ < 0 || resumed_)
		return;
	kill(pid_, SIGKILL);
	wait();
}

Outcome ChildProcess::resume()
{
	if (ptrace(PTRACE_DETACH, pid_, nullptr, nullptr))
		return system_error("the command cannot be resumed");
	resumed_ = true;
	return Done();
}

void ChildProcess::terminate() const
{
	if (!reaped_)
		kill(pid_, SIGTERM);
}

bool ChildProcess::ended()
{
	if (!reaped_ && waitpid(pid_, &status_, WNOHANG) == pid_)
		reaped_ = true;
	return reaped_;
}

void ChildProcess::wait()
{
	while (!reaped_) {
		const pid_t got = waitpid(pid_, &status_, 0);

		reaped_ = (got == pid_ && !WIFSTOPPED(status_)) || (got < 0 && errno != EINTR);
	}
}

int ChildProcess::exit_status() const
{
	return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
}

std::string ChildProcess::ending() const
{
	if (!WIFSIGNALED(status_))
		return fmt::format("exited with status {}", WEXITSTATUS(status_));

	const char *name = sigabbrev_np(WTERMSIG(status_));

	return name ? fmt::format("was killed by SIG{}", name)
		    : fmt::format("was killed by signal {}", WTERMSIG(status_));
}

} // namespace cli
