// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/process/root.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <optional>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace cli {
namespace {

constexpr int directory_flags = O_PATH | O_DIRECTORY | O_CLOEXEC;

/** The identity of the user namespace of a process, given its directory in /proc. */
std::optional<std::pair<dev_t, ino_t>> user_namespace(const Fd &process)
{
	struct stat about;

	if (fstatat(process.get(), "ns/user", &about, 0))
		return {};
	return std::pair(about.st_dev, about.st_ino);
}

/** True if a process is another user's, and is or may be in another user namespace than ours. */
bool is_foreign(const Fd &process)
{
	const Fd self(open("/proc/self", directory_flags));
	struct stat about;

	if (fstat(process.get(), &about))
		return true;
	return about.st_uid != geteuid() && user_namespace(process) != user_namespace(self);
}

} // namespace

bool is_own(pid_t pid)
{
	struct stat about;

	return !stat(fmt::format("/proc/{}", pid).c_str(), &about) && about.st_uid == geteuid();
}

Fd find_in_root(pid_t pid, const std::string &path, int flags)
{
	const Fd process(open(fmt::format("/proc/{}", pid).c_str(), directory_flags));
	const Fd root(process ? openat(process.get(), "root", directory_flags) : -1);
	open_how how = {};

	if (!root)
		return Fd();
	/* The root is open: a process that enters a user namespace from now on does not change it. */
	if (is_foreign(process)) {
		errno = EPERM;
		return Fd();
	}
	how.flags = static_cast<uint64_t>(O_PATH | O_CLOEXEC | flags);
	how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
	return Fd(static_cast<int>(syscall(SYS_openat2, root.get(), path.c_str(), &how, sizeof(how))));
}

} // namespace cli
