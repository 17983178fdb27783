// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/support/busy_module.h  Loads the tests' own modules (tests/module), such as
 * the one that uses CPU time.
 */
#pragma once

#include "tests/guest/support/guest.h"
#include "tests/support/programs.h"

#include <fcntl.h>
#include <string>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace guest {

/** A module, loaded as long as this exists. */
class TestModule {
public:
	/** @param parameters as in insmod(8), such as "early=100". */
	explicit TestModule(const std::string &name, const std::string &parameters = "") : name_(name)
	{
		const std::string file_path = path(name);
		const Fd file(need(open(file_path.c_str(), O_RDONLY | O_CLOEXEC), file_path.c_str()));

		need(static_cast<int>(syscall(SYS_finit_module, file.get(), parameters.c_str(), 0)),
		     "finit_module");
	}
	TestModule(const TestModule &) = delete;
	TestModule &operator=(const TestModule &) = delete;
	/** Unloads the module; a worker may still hold the last reference. */
	~TestModule()
	{
		soon([this] { return !syscall(SYS_delete_module, name_.c_str(), O_NONBLOCK); });
	}

	/** The module's file, built for the running kernel. */
	static std::string path(const std::string &name)
	{
		utsname kernel;

		need(uname(&kernel), "uname");
		return support::build_dir() + "/kmod/" + kernel.release + "/tests/module/" + name + ".ko";
	}

private:
	const std::string name_;
};

/** The module that uses CPU time. */
class BusyModule : public TestModule {
public:
	static constexpr const char *name = "profil_busy";

	explicit BusyModule(const std::string &parameters = "") : TestModule(name, parameters) {}

	static std::string path() { return TestModule::path(name); }
	/** Use CPU time, in the module. */
	static void spin(unsigned ms)
	{
		write_file("/sys/module/profil_busy/parameters/spin", std::to_string(ms));
	}
	/** Use CPU time in a kernel thread, and wait for it. */
	static void work(unsigned ms)
	{
		write_file("/sys/module/profil_busy/parameters/work", std::to_string(ms));
	}
	/** Have so many kernel threads, each with its own name, that use CPU time now and then. */
	static void threads(unsigned number)
	{
		write_file("/sys/module/profil_busy/parameters/threads", std::to_string(number));
	}
	/**
	 * Use CPU time in an interrupt one millisecond later, so that the program continues first.
	 */
	static void interrupt(unsigned ms)
	{
		write_file("/sys/module/profil_busy/parameters/interrupt", std::to_string(ms));
	}
	/** A variable of the module, for breakpoints. */
	static constexpr const char *watched = "profil_busy_watched";
	/** Write this variable with interrupts off. */
	static void write_watched(unsigned times)
	{
		write_file("/sys/module/profil_busy/parameters/write", std::to_string(times));
	}
	/**
	 * Write the variable once with interrupts off, and sleep without enabling them: they stay
	 * off until another task runs.
	 */
	static void write_watched_and_leave() { write_file("/sys/module/profil_busy/parameters/leave", "1"); }
	/** Use CPU time with interrupts off. */
	static void hold(unsigned ms)
	{
		write_file("/sys/module/profil_busy/parameters/hold", std::to_string(ms));
	}
};

} // namespace guest
