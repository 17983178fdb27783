// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/support/held_probes.h  Keeps the kernel's text unchanged while the module is
 * loaded and unloaded.
 */
#pragma once

#include "tests/guest/support/guest.h"

#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace guest {

/**
 * Holds two more probes on each of the module's tracepoints.  Adding the first probe, or removing
 * one of two, patches the kernel's text, and QEMU 7.2 sometimes keeps executing the old text.
 */
class HeldProbes {
public:
	HeldProbes()
	{
		need(mkdir(instance, 0755), instance);
		all("1");
	}
	HeldProbes(const HeldProbes &) = delete;
	HeldProbes &operator=(const HeldProbes &) = delete;
	~HeldProbes()
	{
		all("0");
		rmdir(instance);
	}

private:
	static constexpr const char *instance = "/sys/kernel/tracing/instances/profil";

	static void all(const char *value)
	{
		for (const std::string where : {"/sys/kernel/tracing", instance})
			for (const char *event : {"fork", "exec", "exit"})
				write_file(where + "/events/sched/sched_process_" + event + "/enable", value);
	}
};

} // namespace guest
