// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/record/rescue.h"

#include "cli/base/stream.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace cli {
namespace {

constexpr char pattern[] = "/profil-XXXXXX.pb.gz";
constexpr int suffix_length = sizeof(".pb.gz") - 1;

Outcome write_new(std::string_view content, std::string &path)
{
	const Fd file(mkostemps(path.data(), suffix_length, O_CLOEXEC));

	if (!file)
		return system_error(path);
	if (write_all(file.get(), content) && !fsync(file.get()))
		return Done();

	const Outcome failed = system_error(path);

	unlink(path.c_str());
	return failed;
}

} // namespace

std::vector<std::string> rescue_directories()
{
	std::vector<std::string> directories;

	for (const char *directory : {static_cast<const char *>(std::getenv("TMPDIR")), "/var/tmp", "/tmp",
				      static_cast<const char *>(std::getenv("HOME")), "/dev/shm"}) {
		if (directory && *directory == '/' &&
		    std::find(directories.begin(), directories.end(), directory) == directories.end())
			directories.emplace_back(directory);
	}
	return directories;
}

Result<std::string> rescue(std::string_view content, const std::vector<std::string> &directories)
{
	Outcome failed = Error{"there is no directory for temporary files"};

	for (const std::string &directory : directories) {
		std::string path = directory + pattern;

		failed = write_new(content, path);
		if (failed)
			return path;
	}
	return failed.error();
}

bool enter_pressed(int signals)
{
	char letter = 0;

	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return false;
	while (letter != '\n') {
		std::array<pollfd, 2> events = {{{STDIN_FILENO, POLLIN, 0}, {signals, POLLIN, 0}}};

		if (poll(events.data(), events.size(), -1) < 0 && errno != EINTR)
			return false;
		if (events[1].revents)
			return false;
		if (events[0].revents && read(STDIN_FILENO, &letter, 1) != 1)
			return false;
	}
	return true;
}

} // namespace cli
