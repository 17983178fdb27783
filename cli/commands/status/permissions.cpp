// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/status/permissions.h"

#include "cli/base/fd.h"
#include "cli/base/files.h"
#include "cli/process/account_names.h"
#include "cli/process/process.h"

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace cli {
namespace {

namespace fs = std::filesystem;

/* Opens an event as libprofil does for PROFIL_RECORD; 0, or an errno value. */
int try_event(pid_t pid, bool kernel_ticks)
{
	perf_event_attr attr = {};

	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.sample_period = 1ULL << 62;
	attr.disabled = 1;
	attr.exclude_kernel = !kernel_ticks;
	attr.exclude_hv = 1;

	const Fd event(static_cast<int>(syscall(SYS_perf_event_open, &attr, pid, -1, -1,
						static_cast<unsigned long>(PERF_FLAG_FD_CLOEXEC))));

	return event ? 0 : errno;
}

/* Try the first process of another user, and skip processes that end before the attempt. */
std::optional<int> try_others()
{
	std::error_code error;

	for (fs::directory_iterator entry("/proc", error), end; !error && entry != end;
	     entry.increment(error)) {
		const std::string name = entry->path().filename();
		pid_t pid = 0;

		if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc())
			continue;

		const std::optional<ProcessFacts> facts = process_facts(pid);

		if (!facts || facts->user == geteuid() || facts->zombie || !facts->has_memory)
			continue;
		if (const int tried = try_event(pid, false); tried != ESRCH)
			return tried;
	}
	return std::nullopt;
}

/* The module's rule: CAP_IPC_LOCK in the initial user namespace lifts RLIMIT_MEMLOCK. */
bool may_exceed_memlock()
{
	constexpr size_t most = 65536;
	constexpr std::string_view key = "\nCapEff:\t";
	const Result<std::string> status = read_file("/proc/self/status", most);
	const Result<std::string> users = read_file("/proc/self/uid_map", most);
	uint64_t capabilities = 0;

	if (!status || !users || users->find(" 4294967295") == users->npos)
		return false;

	const size_t place = status->find(key);

	if (place == status->npos)
		return false;
	std::from_chars(status->data() + place + key.size(), status->data() + status->size(), capabilities,
			16);
	return capabilities >> CAP_IPC_LOCK & 1;
}

uint64_t hard_memlock()
{
	if (may_exceed_memlock())
		return UINT64_MAX;

	rlimit limit = {};

	getrlimit(RLIMIT_MEMLOCK, &limit);
	return limit.rlim_max == RLIM_INFINITY ? UINT64_MAX : limit.rlim_max;
}

} // namespace

Permissions try_everything()
{
	Permissions permissions;
	std::error_code error;
	const fs::path program = fs::read_symlink("/proc/self/exe", error);

	permissions.user = user_name(geteuid());
	permissions.root = geteuid() == 0;
	if (!error)
		permissions.program = program.string();
	permissions.info.size = sizeof(permissions.info);
	permissions.module_error = profil_get_info(&permissions.info) ? errno : 0;
	permissions.own_error = try_event(getpid(), false);
	permissions.kernel_error = try_event(getpid(), true);
	permissions.others_error = try_others();
	permissions.memlock = hard_memlock();
	return permissions;
}

} // namespace cli
