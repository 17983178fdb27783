// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/stream.h"

#include "cli/base/characters.h"
#include "cli/base/exit.h"
#include "cli/base/result.h"

#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace cli {

/* open() returns the lowest free number, so each stream gets its own. */
void occupy_standard_streams()
{
	for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
	}
}

bool write_all(int fd, std::string_view content)
{
	while (!content.empty()) {
		const ssize_t written = ::write(fd, content.data(), content.size());

		if (written > 0)
			content.remove_prefix(static_cast<size_t>(written));
		if (written >= 0 || errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return false;
		/* Another process sharing this pipe or terminal has made it non-blocking. */
		pollfd room = {fd, POLLOUT, 0};

		poll(&room, 1, -1);
	}
	return true;
}

void write_message(std::string_view text) noexcept
{
	(void)write_all(STDERR_FILENO, text);
}

void tell(const std::string &command, const std::vector<std::string> &notes)
{
	for (const std::string &note : notes)
		write_message(command + ": " + printable(note) + "\n");
}

int print(const std::string &command, std::string_view text)
{
	if (write_all(STDOUT_FILENO, text))
		return exit_ok;
	write_message(command + ": " + system_error("standard output").text + "\n");
	return exit_failure;
}

} // namespace cli
