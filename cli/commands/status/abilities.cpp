// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/status/abilities.h"

#include "cli/base/numbers.h"
#include "cli/recording/perf/access.h"
#include "cli/recording/session.h"

#include <cerrno>
#include <cmath>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cli {
namespace {

constexpr uint64_t least_memlock = 65536;
constexpr long for_own_processes = 2;
constexpr long for_kernel_ticks = 1;

Ability device_missing(const Machine &machine, const std::string &why)
{
	const size_t colon = machine.device_number.find(':');
	const std::string number = colon == std::string::npos
					   ? "10 $(awk '$2 == \"profil\" { print $1 }' /proc/misc)"
					   : machine.device_number.substr(0, colon) + " " +
						     machine.device_number.substr(colon + 1);
	Ability ability = {"device", false, why, {}};

	if (machine.device)
		ability.commands.emplace_back("sudo rm /dev/profil");
	ability.commands.push_back("sudo mknod -m 666 /dev/profil c " + number);
	return ability;
}

std::string node_text(const DeviceNode &node)
{
	return fmt::format("mode {:04o}, user {}, group {}", node.mode & 07777U, node.user, node.group);
}

/* Opening /dev/profil needs only permission to read. */
Ability device_forbidden(const DeviceNode &node, const Permissions &permissions)
{
	const std::string why = fmt::format("/dev/profil may not be opened: {}", node_text(node));

	if (node.mode & S_IRGRP && node.group != "root")
		return {"device",
			false,
			why + " (then log in again)",
			{fmt::format("sudo usermod -aG {} {}", node.group, permissions.user)}};
	return {"device",
		false,
		why,
		{"echo 'KERNEL==\"profil\", MODE=\"0666\"' | sudo tee /etc/udev/rules.d/60-profil.rules",
		 "sudo udevadm control --reload", "sudo udevadm trigger --name-match=profil"}};
}

Ability judge_device(const Machine &machine, const Permissions &permissions)
{
	if (!machine.device)
		return device_missing(machine, "/dev/profil is missing: devtmpfs is not mounted on /dev");
	switch (permissions.module_error) {
	case 0: return {"device", true, "/dev/profil can be opened: " + node_text(*machine.device), {}};
	case EACCES: return device_forbidden(*machine.device, permissions);
	case EPERM:
		return {"device",
			false,
			"/dev/profil may not be opened: this container or sandbox does not permit it",
			{"docker run --device /dev/profil ..."}};
	case ENXIO:
	case ENODEV:
	case ENOTTY: return device_missing(machine, "/dev/profil is another device's node");
	default:
		return {"device",
			false,
			"/dev/profil cannot be used: " + explain(permissions.module_error),
			{"sudo dmesg"}};
	}
}

std::string sysctl(long value)
{
	return fmt::format("sudo sysctl kernel.perf_event_paranoid={}", value);
}

Ability refused_by_sandbox(std::string_view key, const std::string &what)
{
	return {key,
		false,
		what + ": this container or sandbox does not let perf_event_open(2) through (the second "
		       "command is for engines that do not know PERFMON, or do not heed it)",
		{"docker run --cap-add PERFMON ...", "docker run --security-opt seccomp=unconfined ..."}};
}

/** The reason why perf_event_open(2) fails for every user; nullopt if it depends on the user. */
std::optional<Ability> no_events(std::string_view key, const std::string &what, int error)
{
	if (error == ENOSYS || error == ENOENT)
		return Ability{key,
			       false,
			       what + ": this kernel has no perf events (CONFIG_PERF_EVENTS); boot one that "
				      "has them",
			       {install_kernel, "sudo reboot"}};
	if (error == EPERM)
		return refused_by_sandbox(key, what);
	return std::nullopt;
}

std::string paranoid_text(const Machine &machine)
{
	return machine.paranoid ? fmt::format("kernel.perf_event_paranoid is {}", *machine.paranoid)
				: "the kernel refuses it";
}

Ability judge_own(const Machine &machine, const Permissions &permissions)
{
	const std::string what = "your processes cannot be profiled";

	if (!permissions.own_error)
		return {"own", true, fmt::format("processes of {} can be profiled", permissions.user), {}};
	if (is_refused_by_sandbox(permissions.own_error, machine.paranoid))
		return refused_by_sandbox("own", what);
	if (const auto ability = no_events("own", what, permissions.own_error))
		return *ability;
	return {"own",
		false,
		fmt::format("{}: {}", what, paranoid_text(machine)),
		{sysctl(for_own_processes)}};
}

Ability judge_kernel(const Machine &machine, const Permissions &permissions, bool with_module)
{
	const std::string what = "their time in the kernel cannot be shown by function or at calls";

	if (!permissions.kernel_error)
		return {"kernel",
			true,
			with_module ? "their time in the kernel can be shown by function, or at calls "
				      "(--kernel-at)"
				    : "their time in the kernel can be shown by function",
			{}};
	if (const auto ability = no_events("kernel", what, permissions.kernel_error))
		return *ability;
	return {"kernel",
		false,
		fmt::format("{}: {}", what, paranoid_text(machine)),
		{sysctl(for_kernel_ticks)}};
}

/* Suggest root: CAP_PERFMON does not suffice, because names come from /proc/PID/maps. */
Ability judge_others(const Machine &machine, const Permissions &permissions)
{
	const std::string what = "processes of other users cannot be profiled";

	if (!*permissions.others_error)
		return {"others", true, "processes of other users can be profiled", {}};
	if (permissions.root) {
		if (const auto ability = no_events("others", what, *permissions.others_error))
			return *ability;
		return {"others",
			false,
			what + ": root has no CAP_PERFMON here, as in a container",
			{"docker run --cap-add PERFMON --cap-add SYS_PTRACE --pid host ..."}};
	}
	return {"others",
		false,
		fmt::format("{}: {}, and {} has no CAP_PERFMON", what, paranoid_text(machine),
			    permissions.user),
		{fmt::format("sudo {} record -p PID", permissions.program)}};
}

Ability judge_memory(const Machine &machine, const Permissions &permissions)
{
	const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
	const auto limit = machine.parameters.find("max_user_pages");
	const std::string more = fmt::format(
		"echo {} | sudo tee /sys/module/profil/parameters/max_user_pages",
		2 * (limit == machine.parameters.end() ? permissions.info.pages_max : limit->second));

	if (permissions.info.pages_used >= permissions.info.pages_max)
		return {"memory",
			false,
			fmt::format(
				"no more counters can be pinned: {} of {} are in use (or end other profiles)",
				bytes_text(permissions.info.pages_used * page),
				bytes_text(permissions.info.pages_max * page)),
			{more}};
	if (permissions.memlock < least_memlock)
		return {"memory",
			false,
			fmt::format("counters cannot be pinned: the hard limit RLIMIT_MEMLOCK is {}",
				    bytes_text(permissions.memlock)),
			{"sudo prlimit --memlock=67108864 --pid $$"}};
	return {"memory",
		true,
		fmt::format("counters can be pinned: {} of {} are in use",
			    bytes_text(permissions.info.pages_used * page),
			    bytes_text(permissions.info.pages_max * page)),
		{}};
}

Ability judge_self(const Permissions &permissions)
{
	const double rate = std::floor(1e9 / static_cast<double>(permissions.info.period_min));

	return {"self",
		true,
		fmt::format("programs can profile themselves, at up to {}", rate_text(rate)),
		{}};
}

Ability judge_perf()
{
	return {"perf",
		true,
		"profil record, top, push and serve use perf events instead of the module: each sample "
		"costs more, and ticks that come late or not at all are not accounted for",
		{}};
}

} // namespace

std::vector<Ability> judge(const Machine &machine, const Permissions &permissions)
{
	std::vector<Ability> all = {judge_module(machine, permissions)};

	if (all.back().can)
		all.push_back(judge_device(machine, permissions));

	const bool works = all.back().can;

	if (works) {
		all.push_back(judge_self(permissions));
		all.push_back(judge_memory(machine, permissions));
	}
	if (!works && !permissions.own_error)
		all.push_back(judge_perf());
	all.push_back(judge_own(machine, permissions));
	if (all.back().can)
		all.push_back(judge_kernel(machine, permissions, works));
	if (permissions.others_error && !permissions.own_error)
		all.push_back(judge_others(machine, permissions));
	return all;
}

} // namespace cli
