// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/support/held_exec.h  A program whose execution waits in execve(2) until the test says
 * so. */
#pragma once

#include "tests/guest/support/guest.h"
#include "tests/support/programs.h"
#include "tests/support/skip.h"

#include <catch2/catch.hpp>

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/mount.h>

namespace guest {

/**
 * A script that cli_burn_static interprets.  This process has a lease on the interpreter, so
 * whoever opens it waits: execve(2) has begun then, and has replaced nothing.
 */
class HeldExec {
public:
	explicit HeldExec(const std::string &name) : name_(name)
	{
		/* Only some file systems grant leases. */
		std::filesystem::copy_file(program("cli_burn_static"), place_ + "/interpreter");
		std::ofstream(path()) << "#!" << place_ << "/interpreter 1000000\n";
		std::filesystem::permissions(path(), std::filesystem::perms(0755));
		/* It tells of a waiting process. */
		std::signal(SIGIO, SIG_IGN);
		interpreter_ =
			Fd(need(open((place_ + "/interpreter").c_str(), O_RDONLY | O_CLOEXEC), "open"));

		const int error = fcntl(interpreter_.get(), F_SETLEASE, F_WRLCK) ? errno : 0;

		/* Without CONFIG_FILE_LOCKING. */
		if (error == EINVAL)
			support::skip("this kernel has no leases");
		REQUIRE(error == 0);
	}
	HeldExec(const HeldExec &) = delete;
	HeldExec &operator=(const HeldExec &) = delete;
	~HeldExec() { release(); }

	/** What to execute. */
	[[nodiscard]] std::string path() const { return place_ + "/" + name_; }
	/** Does anybody wait in there? */
	[[nodiscard]] bool waits() const { return fcntl(interpreter_.get(), F_GETLEASE) != F_WRLCK; }
	void release() const { fcntl(interpreter_.get(), F_SETLEASE, F_UNLCK); }

private:
	/* It ends even if what follows its making fails: otherwise the directory cannot be removed. */
	class Mounted {
	public:
		explicit Mounted(const std::string &place) : place_(place)
		{
			need(mount("none", place_.c_str(), "tmpfs", 0, "mode=755"), "mount");
		}
		Mounted(const Mounted &) = delete;
		Mounted &operator=(const Mounted &) = delete;
		~Mounted() { umount2(place_.c_str(), MNT_DETACH); }

	private:
		const std::string place_;
	};

	const support::TemporaryDirectory directory_;
	const std::string name_, place_ = made(directory_ / "place");
	const Mounted mounted_{place_};
	Fd interpreter_;

	static std::string made(const std::string &path)
	{
		std::filesystem::create_directory(path);
		std::filesystem::permissions(std::filesystem::path(path).parent_path(),
					     std::filesystem::perms(0755));
		return path;
	}
};

} // namespace guest
