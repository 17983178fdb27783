// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/module/device.h"

#include "tests/fuzz/module/shared.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <unistd.h>

namespace fuzz {

int any_device(Random &random)
{
	return first_device + static_cast<int>(shared->together ? 0 : random.below(nr_devices));
}

void open_device(Random &random)
{
	static const int modes[] = {O_RDWR, O_RDWR, O_RDONLY, O_WRONLY};
	const int number = any_device(random);
	const int fd = open("/dev/profil", random.pick(modes) | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0) {
		if (errno != ENOMEM && errno != EINTR && errno != EMFILE)
			complain("open: error %d", errno);
		return;
	}
	dup3(fd, number, random.one_in(8) ? 0 : O_CLOEXEC);
	close(fd);
}

void close_device(Random &random)
{
	close(any_device(random));
}

void poll_device(Random &random)
{
	pollfd file = {any_device(random), POLLPRI, 0};

	shared->commands++;
	if (poll(&file, 1, static_cast<int>(random.below(3))) < 0 && errno != EINTR && errno != ENOMEM)
		complain("poll: error %d", errno);
}

void read_facts(Random &random)
{
	const int number = any_device(random);
	const int fd = open(("/proc/self/fdinfo/" + std::to_string(number)).c_str(), O_RDONLY | O_CLOEXEC);
	std::array<char, 512> part;
	std::string facts;
	ssize_t n;

	/* The file does not exist, no descriptor is free, or another thread closes it. */
	if (fd < 0)
		return;
	while ((n = read(fd, part.data(), random.between(1, part.size()))) > 0)
		facts.append(part.data(), static_cast<size_t>(n));
	const int error = n < 0 ? errno : 0;
	close(fd);
	shared->commands++;
	if (error && error != EINTR && error != ENOENT && error != ENOMEM)
		complain("fdinfo: error %d", error);
	if (!error && facts.find("session:\t") == std::string::npos)
		complain("fdinfo without a session: %.200s", facts.c_str());
}

} // namespace fuzz
