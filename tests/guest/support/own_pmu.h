// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/guest/support/own_pmu.h  A PMU whose events a test raises
 * (tests/module/profil_pmu.c).
 */
#pragma once

#include "tests/guest/support/busy_module.h"
#include "tests/guest/support/device.h"

#include <string>

namespace guest {

/** The module with the PMU, loaded as long as this exists. */
class OwnPmu {
public:
	/** @param parameters as in insmod(8), such as "cpus=1". */
	explicit OwnPmu(const std::string &parameters = "") : module_("profil_pmu", parameters) {}
	~OwnPmu()
	{
		set("hold", "0");
		set("hold_offline", "0");
	}

	/** Opens an event of a process.  Returns its descriptor, or -1 with errno. */
	static Fd event_of(pid_t pid)
	{
		const std::string type = read_file("/sys/bus/event_source/devices/profil_pmu/type");

		return open_proof({.pid = pid, .type = static_cast<uint32_t>(std::stoul(type)), .config = 0});
	}
	static void set(const std::string &parameter, const std::string &value)
	{
		write_file(parameters() + parameter, value);
	}
	/** The number of CPUs or commands that the module holds now. */
	static uint64_t held() { return std::stoull(read_file(parameters() + "held")); }
	/** Raise this many samples on this CPU, in this process, if the event is counted there. */
	static void fire(unsigned times) { set("fire", std::to_string(times)); }

private:
	static std::string parameters() { return "/sys/module/profil_pmu/parameters/"; }

	const TestModule module_;
};

} // namespace guest
