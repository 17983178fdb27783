// SPDX-License-Identifier: LGPL-2.1-or-later
#include "libprofil/proof.h"

#include "libprofil/number.h"

#include <cerrno>
#include <cstdio>
#include <dirent.h>
#include <linux/perf_event.h>
#include <linux/profil_record.h>
#include <sched.h>

namespace libprofil {

/*
 * The module accepts only a sampling event with PERF_SAMPLE_IP: permission to count must
 * not become permission to see PCs.
 */
static perf_event_attr attributes(uint32_t flags, const perf_event_attr *event)
{
	perf_event_attr attr = {};

	attr.size = sizeof attr;
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	if (event) {
		attr.type = event->type;
		attr.config = event->config;
		attr.config1 = event->config1;
		attr.config2 = event->config2;
		attr.bp_type = event->bp_type;
		attr.precise_ip = event->precise_ip;
		attr.exclude_user = event->exclude_user;
		attr.exclude_kernel = event->exclude_kernel;
	}
	attr.sample_type = PERF_SAMPLE_IP;
	attr.sample_period = 1ULL << 62;
	attr.disabled = 1;
	attr.exclude_kernel |= !(flags & PROFIL_KERNEL_TICKS);
	attr.exclude_hv = 1;
	return attr;
}

static int open_event(pid_t thread, uint32_t flags, Fd &proof, const perf_event_attr *event, int cpu = -1)
{
	perf_event_attr attr = attributes(flags, event);
	const long fd = syscall(SYS_perf_event_open, &attr, thread, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno;
	proof = Fd(static_cast<int>(fd));
	return 0;
}

/* For a process whose first thread has ended before the others: that thread accepts no event. */
static int open_event_on_others(pid_t pid, uint32_t flags, Fd &proof, const perf_event_attr *event)
{
	char path[32];
	int error = ESRCH;

	snprintf(path, sizeof path, "/proc/%d/task", pid);

	DIR *threads = opendir(path);

	if (!threads)
		return ESRCH;
	while (error == ESRCH) {
		const dirent *entry = readdir(threads); // NOLINT(concurrency-mt-unsafe): our own stream

		if (!entry)
			break;
		const auto thread = static_cast<pid_t>(number_at(entry->d_name));

		if (thread > 0 && thread != pid)
			error = open_event(thread, flags, proof, event);
	}
	closedir(threads);
	return error;
}

int open_proof(pid_t pid, uint32_t flags, Fd &proof, const perf_event_attr *event)
{
	/* perf_event_open(2) takes 0 as the caller and -1 as every process. */
	if (pid <= 0)
		return EINVAL;

	const int error = open_event(pid, flags, proof, event);

	return error == ESRCH && !(flags & PROFIL_THREAD) ? open_event_on_others(pid, flags, proof, event)
							  : error;
}

int open_proof_of_everybody(uint32_t flags, Fd &proof, const perf_event_attr *event)
{
	int error = ENODEV;

	/* This CPU may go offline before the event is open on it. */
	for (int tries = 0; tries < 3 && error == ENODEV; tries++)
		error = open_event(-1, flags, proof, event, sched_getcpu());
	return error;
}

} // namespace libprofil
