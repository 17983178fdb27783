// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/support/children.h  Children of a test, and ways to wait for them. */
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <sys/types.h>
#include <utility>

namespace support {

class Fd {
public:
	Fd() = default;
	explicit Fd(int fd) : fd_(fd) {}
	Fd(Fd &&other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
	Fd &operator=(Fd &&other) noexcept
	{
		std::swap(fd_, other.fd_);
		return *this;
	}
	~Fd() { reset(); }

	int get() const { return fd_; }
	void reset();

private:
	int fd_ = -1;
};

/**
 * Throw, with errno, unless a system call succeeded.  Children must use these functions, because
 * Catch2's own assertions would be lost there.
 */
int need(int result, const char *what);
void need_that(bool condition, const char *what);

/** Lets one process wait for another: wait() returns once for each open(). */
class Gate {
public:
	Gate();
	void open(unsigned times = 1) const;
	void wait() const;

private:
	Fd event_;
};

/** A forked child.  It is killed when its parent ends, or when this object is destroyed. */
class Child {
public:
	explicit Child(const std::function<void()> &run);
	Child(Child &&other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
	~Child();

	pid_t pid() const { return pid_; }
	/** Wait for the end of the child; throw unless it exited with 0. */
	void join();
	/** Wait for the end of the child and return the status of waitpid(2). */
	int reap();

private:
	pid_t pid_;
};

std::string read_file(const std::string &path);
/** CPU time of a process, or of this process if @p pid is 0. */
uint64_t process_ns(pid_t pid = 0);

/** True if the process is in an interruptible sleep. */
bool asleep(pid_t pid);

/** Wait until the condition is true; false on timeout. */
bool soon(const std::function<bool()> &condition);

/** Wait until the process has used another @p ns of CPU time; false on timeout. */
bool process_runs_for(pid_t pid, uint64_t ns);

/** The path of a program of tests/guest/programs. */
std::string program(const std::string &name);

} // namespace support
