// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/support/guest.h  Shared by all guest tests: memory, children, settings, and
 * the check that a test leaves nothing behind.
 */
#pragma once

#include "tests/support/children.h"

#include <cstdint>
#include <functional>
#include <string>
#include <sys/types.h>
#include <type_traits>
#include <utility>

namespace guest {

using support::asleep;
using support::Child;
using support::Fd;
using support::Gate;
using support::need;
using support::need_that;
using support::process_ns;
using support::process_runs_for;
using support::program;
using support::read_file;
using support::soon;

/** A private or shared mapping.  Unmapped at the end unless forget() was called. */
class Memory {
public:
	explicit Memory(size_t bytes, int flags = 0, int fd = -1);
	Memory(void *at, size_t bytes, int protection, int flags, int fd);
	Memory(const Memory &) = delete;
	Memory &operator=(const Memory &) = delete;
	~Memory();

	size_t bytes() const { return bytes_; }
	uintptr_t address() const { return reinterpret_cast<uintptr_t>(start_); }
	template <typename T = void> T *at(size_t offset = 0) const
	{
		return reinterpret_cast<T *>(address() + offset);
	}
	/** Do not unmap the memory: that has already been done. */
	void forget() { start_ = nullptr; }

private:
	void *start_;
	size_t bytes_;
};

/** A child that runs a function and reports its result or exception. */
class ReportingChild {
public:
	explicit ReportingChild(const std::function<std::string()> &run);
	std::string report();
	pid_t pid() const { return child_.pid(); }

private:
	ReportingChild(const std::function<std::string()> &run, std::pair<Fd, Fd> pipe);
	Fd from_;
	Child child_;
};

template <typename T> class ChildOf {
public:
	static_assert(std::is_trivially_copyable_v<T>);

	template <typename F>
	explicit ChildOf(F run)
		: child_([run] {
			  const T result = run();
			  return std::string(reinterpret_cast<const char *>(&result), sizeof(result));
		  })
	{
	}

	pid_t pid() const { return child_.pid(); }
	T result()
	{
		const auto bytes = child_.report();
		T value;

		need_that(bytes.size() == sizeof(value), "the child reports a whole result");
		__builtin_memcpy(&value, bytes.data(), sizeof(value));
		return value;
	}

private:
	ReportingChild child_;
};

/** Run a function in a child.  Returns the function's result, or throws its error. */
template <typename F> auto in_child(F run)
{
	return ChildOf<decltype(run())>(run).result();
}

/**
 * True if the kernel records when a task began to run (CONFIG_SCHED_INFO).  If not, missing ticks
 * are charged to no task.
 */
bool kernel_knows_arrivals();

/**
 * Run before all tasks of normal scheduling.  A clock's tick counts the task that is running, and
 * the clock is in step with the timers that wake kernel threads: at 100 Hz, many ticks in a row may
 * hit these threads.
 */
void run_before_others();

/**
 * run_before_others() on one CPU, and before all tasks of lower priority: a child does not run
 * until its parent waits for something.
 */
void run_before_my_children();

/** Become the user nobody, without any privilege, and stay traceable. */
void become_nobody();

/** Sets a file of /proc or /sys; restores the old value at the end. */
class Setting {
public:
	Setting(std::string path, const std::string &value);
	Setting(const Setting &) = delete;
	Setting &operator=(const Setting &) = delete;
	~Setting();

private:
	std::string path_, before_;
};

inline Setting module_parameter(const std::string &name, uint64_t value)
{
	return {"/sys/module/profil/parameters/" + name, std::to_string(value)};
}

void write_file(const std::string &path, const std::string &value);

/** The number in /sys/class/misc/profil/NAME. */
inline uint64_t module_stat(const std::string &name)
{
	return std::stoull(read_file("/sys/class/misc/profil/" + name));
}

/** The number that follows a name in a file of names and numbers. */
uint64_t named_number(const std::string &path, const std::string &wanted);
uint64_t module_ticks(const std::string &name); /* a line of the file "ticks" */
uint64_t switches_of(pid_t pid);		/* its context switches, voluntary or not */
uint64_t locked_bytes(pid_t pid = 0);		/* VmLck and VmPin */
int64_t pinned_in_kernel();			/* nr_foll_pin_acquired - _released */
uint64_t thread_ns();				/* CPU time of this thread */

/**
 * Wait until the clock is off, so that two profiles can be compared: the clock keeps the rate of an
 * earlier profile for a while, and each profile then gets a different share of the ticks.
 */
void await_no_clock();

/**
 * The rough factor by which this kernel's own work takes longer: debug kernels check every access.
 * Use it for the amount of work in a test, not for its checks.
 */
unsigned slowness();

/**
 * The module that the guest was booted with.  load_module() and unload_module() return 0 or the
 * error; @p parameters are added to those of the guest's boot.
 */
std::string module_file();
int load_module(const std::string &parameters = "");
int unload_module();

/** A set-uid copy of a test program, in a temporary directory. */
class SetUidProgram {
public:
	explicit SetUidProgram(const std::string &name);
	SetUidProgram(const SetUidProgram &) = delete;
	SetUidProgram &operator=(const SetUidProgram &) = delete;
	~SetUidProgram();

	std::string path() const { return directory_ + "/program"; }

private:
	std::string directory_;
};

/**
 * The fixture of every test of the module.  It checks that the test leaves nothing behind, and that
 * every tick is accounted for.
 */
class AtRest {
public:
	AtRest();
	AtRest(const AtRest &) = delete;
	AtRest &operator=(const AtRest &) = delete;
	~AtRest();

	/** The module's numbers before the test. */
	uint64_t profiles() const { return profiles_; }
	uint64_t images() const { return images_; }
	uint64_t pages() const { return pages_; }

private:
	uint64_t profiles_, images_, pages_, locked_;
	int64_t pinned_, unexplained_;
};

} // namespace guest
