// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/support/mounted.h  A file system that is mounted for a test. */
#pragma once

#include "tests/guest/support/guest.h"

#include <filesystem>
#include <string>
#include <sys/mount.h>
#include <unistd.h>

namespace guest {

/** A file system, in memory by default, mounted on /tmp/NAME while this lives. */
class Mounted {
public:
	explicit Mounted(const std::string &name, const char *type = "tmpfs", const std::string &options = "")
		: path_("/tmp/" + name)
	{
		std::filesystem::create_directory(path_);
		need(mount(type, path_.c_str(), type, 0, options.c_str()), type);
	}
	Mounted(const Mounted &) = delete;
	Mounted &operator=(const Mounted &) = delete;
	~Mounted()
	{
		umount2(path_.c_str(), MNT_DETACH);
		rmdir(path_.c_str());
	}

	const std::string &path() const { return path_; }

private:
	std::string path_;
};

} // namespace guest
