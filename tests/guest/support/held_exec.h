// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/support/held_exec.h  A program that waits in execve(2) until released. */
#pragma once

#include "tests/guest/support/guest.h"
#include "tests/guest/support/mounted.h"
#include "tests/support/catch.h"
#include "tests/support/programs.h"
#include "tests/support/skip.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>

namespace guest {

/**
 * A script that cli_burn_static interprets.  This process has a lease on the interpreter, so
 * execve(2) waits to open it: by then it has begun, but replaced nothing.
 */
class HeldExec {
public:
	explicit HeldExec(const std::string &name) : name_(name)
	{
		const std::string interpreter = place_.path() + "/interpreter";

		std::filesystem::copy_file(program("cli_burn_static"), interpreter);
		std::ofstream(path()) << "#!" << interpreter << " 1000000\n";
		std::filesystem::permissions(path(), std::filesystem::perms(0755));
		/* The kernel sends SIGIO when a process begins to wait for the lease. */
		std::signal(SIGIO, SIG_IGN);
		interpreter_ = Fd(need(open(interpreter.c_str(), O_RDONLY | O_CLOEXEC), "open"));

		const int error = fcntl(interpreter_.get(), F_SETLEASE, F_WRLCK) ? errno : 0;

		/* Without CONFIG_FILE_LOCKING. */
		if (error == EINVAL)
			support::skip("this kernel has no leases");
		REQUIRE(error == 0);
	}
	HeldExec(const HeldExec &) = delete;
	HeldExec &operator=(const HeldExec &) = delete;
	~HeldExec() { release(); }

	/** The script to execute. */
	[[nodiscard]] std::string path() const { return place_.path() + "/" + name_; }
	/** True if a process is waiting in execve(2). */
	[[nodiscard]] bool waits() const { return fcntl(interpreter_.get(), F_GETLEASE) != F_WRLCK; }
	void release() const { fcntl(interpreter_.get(), F_SETLEASE, F_UNLCK); }

private:
	const std::string name_;
	/* Only some file systems grant leases. */
	const Mounted place_{"profil-held", "tmpfs", "mode=755"};
	Fd interpreter_;
};

} // namespace guest
