// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/process/process.h"

#include "cli/base/characters.h"
#include "cli/base/fd.h"
#include "cli/base/files.h"
#include "cli/base/whole_number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace cli {
namespace {

/* TASK_COMM_LEN without the terminating NUL. */
constexpr size_t longest_name = 15;
/* PID_NS_INIT_INO of linux/nsfs.h since 6.18; the kernel has had this number since 3.8. */
constexpr ino_t first_pid_namespace = 0xEFFFFFFC;

/** The value of "Key:\tvalue" in the text of a /proc/PID/status. */
std::optional<std::string> status_value(const std::string &status, const std::string &key)
{
	const size_t line = status.find("\n" + key + ":");

	if (line == status.npos)
		return std::nullopt;

	const size_t start = status.find_first_not_of(" \t", line + key.size() + 2);

	return status.substr(start, status.find('\n', start) - start);
}

bool is_over(const std::string &status)
{
	const std::string state = status_value(status, "State").value_or("");

	return state.starts_with('Z') || state.starts_with('X');
}

/* Only a task with an mm has this line. */
bool has_memory(const std::string &status)
{
	return status_value(status, "VmSize").has_value();
}

Outcome check_memory(const std::string &status)
{
	if (!has_memory(status))
		return Error{"that is a kernel thread: it has no program to profile"};
	return Done();
}

/** The second ID in "Uid: real effective saved filesystem". */
uid_t effective_user(const std::string &status)
{
	const std::string ids = status_value(status, "Uid").value_or("");
	const size_t second = std::min(ids.find('\t'), ids.size());
	uid_t user = static_cast<uid_t>(-1);

	if (second < ids.size())
		std::from_chars(ids.data() + second + 1, ids.data() + ids.size(), user);
	return user;
}

/**
 * The PID in the process's own PID namespace: the last number of the NStgid line.  For a thread, this
 * is the PID of its process.
 */
pid_t own_pid(const std::string &status)
{
	const std::string ids = status_value(status, "NStgid").value_or("");
	const size_t last = ids.rfind('\t') + 1;
	pid_t pid = 0;

	std::from_chars(ids.data() + last, ids.data() + ids.size(), pid);
	return pid;
}

/** The number in a line of /proc/PID/status; nullopt if it is missing. */
std::optional<pid_t> status_pid(pid_t pid, const std::string &key)
{
	const Result<std::string> status = read_file(fmt::format("/proc/{}/status", pid));

	if (!status)
		return std::nullopt;
	return whole_number<pid_t>(status_value(*status, key).value_or(""));
}

/** The name that a process was started with, if it begins with @p name; else @p name. */
std::string completed(pid_t pid, const std::string &name)
{
	const Fd file(open(fmt::format("/proc/{}/cmdline", pid).c_str(), O_RDONLY | O_CLOEXEC));
	std::array<char, 4096> bytes = {};
	const ssize_t got = file ? read(file.get(), bytes.data(), bytes.size() - 1) : 0;
	const std::string_view full = base_name(std::string_view(bytes.data()));

	return got > 0 && full.starts_with(name) ? std::string(full) : name;
}

} // namespace

std::optional<ProcessFacts> process_facts(pid_t pid)
{
	const Result<std::string> status = read_file(fmt::format("/proc/{}/status", pid));

	if (!status)
		return std::nullopt;

	ProcessFacts facts;

	facts.name = process_name(pid);
	if (facts.name.size() == longest_name)
		facts.name = completed(pid, facts.name);
	facts.user = effective_user(*status);
	facts.own_pid = own_pid(*status);
	facts.zombie = is_over(*status);
	facts.has_memory = has_memory(*status);
	return facts;
}

Outcome check_process(pid_t pid)
{
	const Result<std::string> status = read_file(fmt::format("/proc/{}/status", pid));

	if (!status)
		return Error{"there is no such process"};

	const std::string leader = status_value(*status, "Tgid").value_or("");

	if (leader != std::to_string(pid))
		return Error{fmt::format(
			"that is a thread of process {0} (give -p {0} for all threads, -t {1} for this one)",
			leader, pid)};
	if (is_over(*status))
		return Error{"the process has ended (its parent has not waited for it yet)"};
	return check_memory(*status);
}

Outcome check_thread(pid_t tid)
{
	const Result<std::string> status = read_file(fmt::format("/proc/{}/status", tid));

	if (!status)
		return Error{"there is no such thread"};
	if (is_over(*status))
		return Error{"the thread has ended"};
	return check_memory(*status);
}

bool has_ended(pid_t pid)
{
	const std::optional<ProcessFacts> facts = process_facts(pid);

	return !facts || facts->zombie;
}

std::set<pid_t> all_processes(const std::string &root)
{
	std::set<pid_t> pids;
	std::error_code error;

	for (std::filesystem::directory_iterator entry(root + "/proc", error), end; !error && entry != end;
	     entry.increment(error)) {
		if (const auto pid = whole_number<pid_t>(entry->path().filename().native()))
			pids.insert(*pid);
	}
	return pids;
}

bool sees_all_pids()
{
	struct stat own = {};

	return stat("/proc/self/ns/pid", &own) || own.st_ino == first_pid_namespace;
}

pid_t process_of(pid_t tid)
{
	return status_pid(tid, "Tgid").value_or(tid);
}

pid_t parent_of(pid_t pid)
{
	return status_pid(pid, "PPid").value_or(0);
}

std::istringstream stat_fields(const std::string &stat, int first)
{
	const size_t name_end = stat.rfind(')');
	std::istringstream fields(name_end == stat.npos ? "" : stat.substr(name_end + 1));
	std::string other;

	for (int field = 3; field < first; field++)
		fields >> other;
	return fields;
}

std::optional<ProgramStart> program_start(pid_t pid)
{
	constexpr int first_address = 26;
	const Result<std::string> stat = read_file(fmt::format("/proc/{}/stat", pid));

	if (!stat)
		return std::nullopt;

	std::istringstream fields = stat_fields(*stat, first_address);
	ProgramStart start = {program_path(pid), {}};

	for (uint64_t &address : start.addresses)
		fields >> address;
	/* The stack's address is 0 if we may not read the process's memory. */
	return fields && start.addresses.back() ? std::optional(start) : std::nullopt;
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
