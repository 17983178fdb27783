// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/support/partition.h  A cpuset partition, which may isolate a CPU. */
#pragma once

#include "tests/guest/support/race.h"
#include "tests/support/skip.h"

#include <sched.h>
#include <string>

namespace guest {

/** Skip the test if this kernel has no cpusets. */
inline void need_cpusets()
{
	if (read_file("/sys/fs/cgroup/cgroup.controllers").find("cpuset") == std::string::npos)
		support::skip("this kernel has no cpusets");
}

/** A cgroup whose processes run on CPU 1; as an "isolated" partition, it isolates that CPU. */
class Partition {
public:
	Partition() : group_("profil-partition", "cpuset") { group_.set("cpuset.cpus", "1"); }

	void enter(pid_t pid) const { group_.enter(pid); }
	void become(const std::string &kind) const
	{
		group_.set("cpuset.cpus.partition", kind);
		need_that(group_.get("cpuset.cpus.partition") == kind + "\n",
			  "the group becomes that kind of partition");
	}

private:
	const Cgroup group_;
};

inline bool kernel_threads_may_use_cpu1()
{
	constexpr pid_t kthreadd = 2;
	cpu_set_t cpus;

	need(sched_getaffinity(kthreadd, sizeof(cpus), &cpus), "sched_getaffinity");
	return CPU_ISSET(1, &cpus);
}

/**
 * True if an isolated partition also ends housekeeping on its CPUs, as isolcpus= does.  It does
 * from Linux 7.0 on; before, the clock still ticks there.  No file shows this, so look at
 * kthreadd's affinity: older kernels move it off the CPUs of every partition, newer ones only off
 * those of isolated partitions.
 */
inline bool isolation_ends_housekeeping(const Partition &partition)
{
	partition.become("root");
	const bool stay = kernel_threads_may_use_cpu1();
	partition.become("isolated");
	const bool leave = !kernel_threads_may_use_cpu1();
	partition.become("member");
	return stay && leave;
}

} // namespace guest
