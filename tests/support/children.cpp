// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/support/children.h"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace support {

void Fd::reset()
{
	if (fd_ >= 0)
		close(fd_);
	fd_ = -1;
}

int need(int result, const char *what)
{
	if (result < 0)
		throw std::system_error(errno, std::generic_category(), what);
	return result;
}

void need_that(bool condition, const char *what)
{
	if (!condition)
		throw std::runtime_error(std::string("failed: ") + what);
}

Gate::Gate() : event_(need(eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC), "eventfd")) {}

void Gate::open(unsigned times) const
{
	need(eventfd_write(event_.get(), times), "opening a gate");
}

void Gate::wait() const
{
	eventfd_t value;

	need(eventfd_read(event_.get(), &value), "waiting at a gate");
}

Child::Child(const std::function<void()> &run)
{
	const pid_t parent = getpid();

	pid_ = need(fork(), "fork");
	if (pid_)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The parent may have ended before the prctl.  0: it is in another PID namespace. */
	if (const pid_t now = getppid(); now && now != parent)
		_exit(1);
	try {
		run();
		_exit(0);
	} catch (const std::exception &problem) {
		dprintf(2, "in a child: %s\n", problem.what());
		_exit(1);
	}
}

Child::~Child()
{
	if (pid_ > 0) {
		kill(pid_, SIGKILL);
		reap();
	}
}

int Child::reap()
{
	int status;

	need(waitpid(std::exchange(pid_, -1), &status, 0), "waitpid");
	return status;
}

void Child::join()
{
	need_that(reap() == 0, "the child exits with 0");
}

std::string read_file(const std::string &path)
{
	std::ifstream file(path);

	need_that(file.good(), (path + " can be read").c_str());
	return {std::istreambuf_iterator<char>(file), {}};
}

bool asleep(pid_t pid)
{
	const auto stat = read_file("/proc/" + std::to_string(pid) + "/stat");

	return stat[stat.rfind(')') + 2] == 'S';
}

uint64_t process_ns(pid_t pid)
{
	clockid_t clock = CLOCK_PROCESS_CPUTIME_ID;
	timespec now;

	need_that(!pid || clock_getcpuclockid(pid, &clock) == 0, "the process has a clock");
	need(clock_gettime(clock, &now), "clock_gettime");
	return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

bool soon(const std::function<bool()> &condition)
{
	for (int i = 0; i < 24000; i++) {
		if (condition())
			return true;
		usleep(5000);
	}
	return false;
}

bool process_runs_for(pid_t pid, uint64_t ns)
{
	const uint64_t begin = process_ns(pid);

	return soon([&] { return process_ns(pid) >= begin + ns; });
}

std::string program(const std::string &name)
{
	return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "programs" / name;
}

} // namespace support
