// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/whole_file.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace libprofil {

int WholeFile::create(const char *path)
{
	constexpr int how = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	struct stat there;
	const int length = snprintf(part_, sizeof part_, "%s.%ld.part", path, static_cast<long>(getpid()));

	if (length < 0 || static_cast<size_t>(length) >= sizeof part_)
		return ENAMETOOLONG;
	/* Not in the place of a device, a pipe or a socket. */
	if (!lstat(path, &there) && !S_ISREG(there.st_mode) && !S_ISLNK(there.st_mode))
		return EEXIST;
	path_ = path;
	file_ = Fd(open(part_, how, 0666));
	/* An existing file was left by an earlier process with our PID that did not finish. */
	if (!file_ && errno == EEXIST && !unlink(part_))
		file_ = Fd(open(part_, how, 0666));
	return file_ ? 0 : errno;
}

int WholeFile::finish(int error)
{
	/* Some file systems report a lack of space only on close. */
	if (syscall(SYS_close, file_.release()) && !error)
		error = errno;
	if (!error && rename(part_, path_))
		error = errno;
	if (error)
		unlink(part_);
	return error;
}

} // namespace libprofil
