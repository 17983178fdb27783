// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/files.h"

#include <array>
#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace cli {

Result<std::string> read_all(int fd, const std::string &name, size_t limit)
{
	std::string content;
	std::array<char, 16384> chunk;

	for (;;) {
		const ssize_t got = read(fd, chunk.data(), chunk.size());

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return system_error(name);
		if (got == 0)
			return content;
		if (static_cast<size_t>(got) > limit - content.size())
			return system_error(name, EFBIG);
		content.append(chunk.data(), static_cast<size_t>(got));
	}
}

Fd open_regular(const std::string &path, int directory, int flags)
{
	return open_regular(Fd(openat(directory, path.c_str(), O_PATH | O_CLOEXEC | flags)));
}

Fd open_regular(Fd file)
{
	struct stat about;

	if (!file || fstat(file.get(), &about))
		return Fd();
	if (!S_ISREG(about.st_mode))
		return file;
	/* O_NONBLOCK: do not wait for the holder of a lease. */
	return Fd(open(("/proc/self/fd/" + std::to_string(file.get())).c_str(),
		       O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
}

Result<std::string> read_file(const std::string &path, size_t limit)
{
	const Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));

	return file ? read_all(file.get(), path, limit) : system_error(path);
}

} // namespace cli
