// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/support/leftovers.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <dirent.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace support {

namespace {

std::vector<Leftover> &registered()
{
	static std::vector<Leftover> kinds;

	return kinds;
}

/** Wait until the condition is true; false on timeout. */
bool soon(const std::function<bool()> &condition)
{
	for (int i = 0; i < 24000; i++) {
		if (condition())
			return true;
		usleep(5000);
	}
	return false;
}

bool childless()
{
	pid_t ended;

	while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0)
		;
	return ended < 0 && errno == ECHILD;
}

struct Process {
	pid_t pid;
	std::string name;
};

/** The rest of a line of /proc/PID/status, by its name. */
std::string field(const std::string &status, const std::string &name)
{
	const std::string start = name + ":\t";
	const size_t at = status.starts_with(start) ? 0 : status.find('\n' + start) + 1;

	if (!status.compare(at, start.size(), start))
		return status.substr(at + start.size(), status.find('\n', at) - at - start.size());
	return {};
}

/** Our children, from /proc/PID/status; reading /proc/PID/stat waits for an exec, which may never end. */
std::vector<Process> children()
{
	const auto parent = std::to_string(getpid());
	std::vector<Process> found;
	DIR *processes = opendir("/proc");

	if (!processes)
		throw std::system_error(errno, std::generic_category(), "/proc");
	while (const dirent *entry = readdir(processes)) {
		if (!isdigit(entry->d_name[0]))
			continue;
		std::ifstream file(std::string("/proc/") + entry->d_name + "/status");
		const std::string status{std::istreambuf_iterator<char>(file), {}};

		if (field(status, "PPid") == parent)
			found.push_back({std::stoi(entry->d_name), field(status, "Name")});
	}
	closedir(processes);
	return found;
}

/** Children of killed processes become ours, so look again. */
void end_children()
{
	soon([] {
		if (childless())
			return true;
		for (const Process &child : children())
			kill(child.pid, SIGKILL);
		return false;
	});
}

bool none_above(const Amounts &before)
{
	return std::ranges::equal(leftover_amounts(), before, std::ranges::less_equal());
}

} // namespace

Leftovers::Leftovers(std::vector<Leftover> kinds)
{
	std::ranges::move(kinds, std::back_inserter(registered()));
}

Amounts leftover_amounts()
{
	Amounts amounts;

	for (const Leftover &kind : registered())
		amounts.push_back(kind.amount());
	return amounts;
}

void adopt_orphans()
{
	if (prctl(PR_SET_CHILD_SUBREAPER, 1))
		throw std::system_error(errno, std::generic_category(), "PR_SET_CHILD_SUBREAPER");
}

std::vector<std::string> await_no_leftovers(const Amounts &before)
{
	std::vector<std::string> left;

	if (soon([&] { return childless() && none_above(before); }))
		return left;
	for (const Process &child : children())
		left.push_back("it left process " + std::to_string(child.pid) + ": " + child.name);
	const Amounts now = leftover_amounts();

	for (size_t i = 0; i < now.size(); i++)
		if (now[i] > before[i])
			left.push_back(std::string("it left ") + registered()[i].name + ": " +
				       std::to_string(now[i]) + ", before it " + std::to_string(before[i]));
	end_children();
	/* Wait, so that the next test is not blamed for resources that these processes held. */
	soon([&] { return none_above(before); });
	return left;
}

} // namespace support
