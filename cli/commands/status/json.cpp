// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/status/status.h"
#include "cli/process/account_names.h"
#include "cli/process/process.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace cli {
namespace {

using Json = nlohmann::ordered_json;

template <typename T> Json or_null(const std::optional<T> &value)
{
	return value ? Json(*value) : Json(nullptr);
}

Json text_or_null(const std::string &text)
{
	return text.empty() ? Json(nullptr) : Json(text);
}

Json file_json(const std::optional<ModuleFile> &file)
{
	if (!file)
		return nullptr;
	return {{"path", file->path}, {"signed", or_null(file->has_signature)}};
}

Json kernel_json(const Machine &machine)
{
	return {{"release", machine.release},
		{"takes_modules", machine.takes_modules && !machine.modules_disabled},
		{"demands_signatures", machine.demands_signatures},
		{"secure_boot", or_null(machine.secure_boot)},
		{"lockdown", text_or_null(machine.lockdown)},
		{"perf_event_paranoid", or_null(machine.paranoid)},
		{"ptrace_scope", or_null(machine.ptrace_scope)}};
}

Json module_json(const Machine &machine)
{
	return {{"loaded", machine.loaded},
		{"version", text_or_null(machine.version)},
		{"installed", file_json(machine.installed)},
		{"built", file_json(machine.built)}};
}

Json device_json(const Machine &machine)
{
	if (!machine.device)
		return nullptr;
	return {{"path", "/dev/profil"},
		{"mode", fmt::format("{:04o}", machine.device->mode & 07777U)},
		{"user", machine.device->user},
		{"group", machine.device->group}};
}

Json abilities_json(const Status &status)
{
	Json abilities = Json::array();

	for (const Ability &ability : status.abilities)
		abilities.push_back({{"key", ability.key},
				     {"can", ability.can},
				     {"text", ability.text},
				     {"commands", ability.commands}});
	return abilities;
}

Json limits_json(const Status &status)
{
	const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
	const uint64_t memlock = status.permissions.memlock;
	Json limits = {{"memlock_bytes", memlock == UINT64_MAX ? Json(nullptr) : Json(memlock)}};

	if (!status.usable())
		return limits;
	limits["pinned_bytes_max"] = status.permissions.info.pages_max * page;
	limits["pinned_bytes_used"] = status.permissions.info.pages_used * page;
	limits["period_ns_min"] = status.permissions.info.period_min;
	limits["regions_max"] = status.permissions.info.region_max;
	return limits;
}

Json profile_json(const HeldProfile &profile)
{
	Json targets = Json::array();

	for (const pid_t pid : profile.pids)
		targets.push_back({{"pid", pid}, {"process", process_name(pid)}});
	return {{"profile", profile.id},
		{"targets", targets},
		{"more_targets", profile.more_pids},
		{"address_spaces", profile.processes},
		{"state", profile.state},
		{"period_ns", profile.event.empty() ? profile.period : 0},
		{"event", profile.event.empty() ? Json()
						: Json({{"name", profile.event},
							{"period", profile.period},
							{"missed", profile.account.missed},
							{"throttled", profile.account.throttled},
							{"enabled_ns", profile.account.enabled_ns},
							{"running_ns", profile.account.running_ns}})},
		{"ticks", profile.ticks},
		{"counted", profile.counted},
		{"lost", profile.lost},
		{"pinned_pages", or_null(profile.pinned_pages)}};
}

Json sessions_json(const SessionSearch &search)
{
	Json sessions = Json::array();

	for (const HeldSession &session : search.sessions) {
		Json profiles = Json::array();

		for (const HeldProfile &profile : session.profiles)
			profiles.push_back(profile_json(profile));
		sessions.push_back({{"session", session.id},
				    {"pid", session.pid},
				    {"process", session.process},
				    {"user", user_name(session.user)},
				    {"profiles", profiles}});
	}
	return sessions;
}

Json cost_json(const std::optional<Result<TickCost>> &cost)
{
	if (!cost || !*cost)
		return nullptr;
	return {{"tick_ns", (*cost)->ns},
		{"interruptions", (*cost)->interruptions},
		{"rate_hz", (*cost)->rate}};
}

Json switch_cost_json(const std::optional<Result<SwitchCost>> &cost)
{
	if (!cost || !*cost)
		return nullptr;
	return {{"switch_ns", (*cost)->ns},
		{"low_ns", (*cost)->low_ns},
		{"high_ns", (*cost)->high_ns},
		{"plain_ns", (*cost)->plain_ns},
		{"pairs", (*cost)->pairs}};
}

Json target_json(const Status &status)
{
	if (!status.target || !*status.target)
		return nullptr;

	const CostTarget &target = **status.target;
	Json json = {{"pid", target.pid},
		     {"process", target.process},
		     {"rate_hz", target.rate},
		     {"cpus", target.load.cpus},
		     {"switches_hz", target.load.switches},
		     {"seconds_per_second", nullptr}};

	if (status.cost && *status.cost && status.switch_cost && *status.switch_cost) {
		const TargetCost cost = target_cost(target, **status.cost, **status.switch_cost);

		json["seconds_per_second"] = cost.tick_seconds + cost.switch_seconds;
	}
	return json;
}

} // namespace

std::string status_json(const Status &status)
{
	Json json = {{"profil_version", profil_version()},
		     {"user", status.permissions.user},
		     {"all_well", status.well()},
		     {"kernel", kernel_json(status.machine)},
		     {"module", module_json(status.machine)},
		     {"device", device_json(status.machine)},
		     {"abilities", abilities_json(status)},
		     {"limits", limits_json(status)},
		     {"parameters", status.machine.parameters},
		     {"totals", status.machine.totals},
		     {"ticks", status.machine.ticks},
		     {"cost", cost_json(status.cost)},
		     {"switch_cost", switch_cost_json(status.switch_cost)},
		     {"target", target_json(status)},
		     {"sessions", sessions_json(status.search)},
		     {"other_profiles", status.other_profiles()},
		     {"hidden_processes", status.search.hidden}};

	/* Names of processes need not be UTF-8; JSON must be. */
	return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace cli
