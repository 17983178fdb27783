// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/process.h"

#include "cli/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>

namespace cli {
namespace {

/** The value of "Key:\tvalue" in a /proc/PID/status. */
std::optional<std::string> status_value(const std::string &status, const std::string &key)
{
	const size_t line = status.find("\n" + key + ":");

	if (line == status.npos)
		return std::nullopt;

	const size_t start = status.find_first_not_of(" \t", line + key.size() + 2);

	return status.substr(start, status.find('\n', start) - start);
}

} // namespace

Outcome check_process(pid_t pid)
{
	const Result<std::string> status = read_file(fmt::format("/proc/{}/status", pid));

	if (!status)
		return Error{"there is no such process"};

	const std::string leader = status_value(*status, "Tgid").value_or("");
	const std::string state = status_value(*status, "State").value_or("");

	if (leader != std::to_string(pid))
		return Error{fmt::format(
			"that is a thread of process {0} (give -p {0}: all threads are profiled)", leader)};
	if (state.starts_with('Z') || state.starts_with('X'))
		return Error{"the process has ended (its parent has not waited for it yet)"};
	/* Only what has memory of its own has a line for it. */
	if (!status_value(*status, "VmSize"))
		return Error{"that is a kernel thread: it has no program to profile"};
	return Done();
}

std::string process_name(pid_t pid)
{
	Result<std::string> name = read_file(fmt::format("/proc/{}/comm", pid));

	if (!name || name->empty())
		return "?";
	name->pop_back();
	return *name;
}

std::string program_path(pid_t pid)
{
	std::array<char, 4096> path;
	const ssize_t length = readlink(fmt::format("/proc/{}/exe", pid).c_str(), path.data(), path.size());

	return length > 0 ? std::string(path.data(), static_cast<size_t>(length)) : "";
}

} // namespace cli
