// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/base/characters.h"
#include "cli/base/numbers.h"
#include "cli/commands/status/status.h"
#include "cli/process/account_names.h"
#include "cli/process/process.h"
#include "cli/profile/accounting.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <unistd.h>

namespace cli {
namespace {

constexpr size_t most_named = 8;

uint64_t page_size()
{
	return static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

std::string line(const char *title, const std::string &text)
{
	return fmt::format("{:<9}{}\n", title, text);
}

std::string ability_text(const Ability &ability)
{
	std::string text = fmt::format("{:<5}{}\n", ability.can ? "yes" : "no", printable(ability.text));

	for (const std::string &command : ability.commands)
		text += fmt::format("       {}\n", printable(command));
	return text;
}

uint64_t value_of(const std::map<std::string, uint64_t> &numbers, const std::string &name)
{
	const auto found = numbers.find(name);

	return found == numbers.end() ? 0 : found->second;
}

std::string limits_text(const Status &status)
{
	const auto &parameters = status.machine.parameters;
	const uint64_t memlock = status.permissions.memlock;
	const std::string memlock_text =
		memlock == UINT64_MAX ? "no RLIMIT_MEMLOCK" : "RLIMIT_MEMLOCK " + bytes_text(memlock);

	if (!status.usable())
		return line("limits", memlock_text);

	const profil_info &info = status.permissions.info;

	return line("limits", fmt::format("{} pinned for {}, {} in use; {}",
					  bytes_text(info.pages_max * page_size()), status.permissions.user,
					  bytes_text(info.pages_used * page_size()), memlock_text)) +
	       line("",
		    fmt::format("{} pinned by all (more with CAP_SYS_RESOURCE), {} in use",
				bytes_text(value_of(parameters, "max_pages") * page_size()),
				bytes_text(value_of(status.machine.totals, "pinned_pages") * page_size()))) +
	       line("", fmt::format("{} per user, which may follow {}",
				    counted_noun(value_of(parameters, "max_user_profiles"), "profile"),
				    counted_noun(value_of(parameters, "max_user_watches"), "process"))) +
	       line("",
		    fmt::format("{} per profile, {} without CAP_PERFMON; {} for all profiles of a user",
				rate_text(static_cast<double>(value_of(parameters, "max_rate"))),
				rate_text(static_cast<double>(value_of(parameters, "max_user_rate"))),
				rate_text(static_cast<double>(value_of(parameters, "user_rate_budget")))));
}

std::string clock_text(const Status &status)
{
	const uint64_t period = value_of(status.machine.totals, "clock_period");

	if (!period)
		return line("clock", "stopped: nothing is being profiled");
	return line("clock", fmt::format("ticks every {:.3f} ms: {}", static_cast<double>(period) / 1e6,
					 rate_text(1e9 / static_cast<double>(period))));
}

std::string ticks_text(const std::map<std::string, uint64_t> &ticks)
{
	Accounting accounting;
	std::string text;

	if (ticks.empty())
		return line("ticks", "shown only to root");
	accounting.ticks = value_of(ticks, "ticks");
	for (const Cause &cause : all_causes())
		accounting.*cause.member = value_of(ticks, std::string(cause.key));
	/* The module's totals do not separate the ticks of recordings from those of other profiles. */
	for (const std::string &one :
	     accounting_lines(accounting, "of the clock and of events",
			      "in the kernel (recordings count them, unless they have --user-only)"))
		text += line(text.empty() ? "ticks" : "", one);
	return text.empty() ? line("ticks", "none so far") : text;
}

std::string totals_text(const Status &status)
{
	const auto &totals = status.machine.totals;
	std::string text = fmt::format("{} in {}", counted_noun(value_of(totals, "profiles"), "profile"),
				       counted_noun(value_of(totals, "images"), "address space"));

	if (const uint64_t lost = value_of(totals, "forks_lost"))
		text += fmt::format("; {} whose child could not be followed", counted_noun(lost, "fork"));
	return line("profiles", text) + ticks_text(status.machine.ticks);
}

std::string cost_text(const Status &status)
{
	if (!status.cost)
		return "";
	if (!*status.cost)
		return line("cost", "cannot be measured now: " + printable(status.cost->error().text));

	const TickCost &cost = **status.cost;
	const double share = cost.ns * cost.rate / 1e9 * 100;

	return line("cost", fmt::format("{:.1f} us a tick, which at {} is {:.2f} % of a CPU", cost.ns / 1e3,
					rate_text(cost.rate), share)) +
	       line("", fmt::format("(the median of {} of a loop that was profiled just now)",
				    counted_noun(cost.interruptions, "interruption")));
}

std::string switch_cost_text(const Status &status)
{
	if (!status.switch_cost)
		return "";
	if (!*status.switch_cost)
		return line("switch", "cannot be measured: " + printable(status.switch_cost->error().text));

	const SwitchCost &cost = **status.switch_cost;
	const std::string difference = cost.certain_ns() > 0
					       ? fmt::format("{:.0f} ns more with a profile;", cost.ns)
					       : "no significant difference with a profile:";

	return line("switch", fmt::format("{} {:.0f} ns without one (95 % confidence interval of "
					  "the difference: {:.0f} to {:.0f})",
					  difference, cost.plain_ns, cost.low_ns, cost.high_ns)) +
	       line("", fmt::format("(the median of {}: two threads that wake each other by pipes)",
				    counted_noun(cost.pairs, "pair")));
}

std::string target_text(const Status &status)
{
	if (!status.target)
		return "";
	if (!*status.target)
		return line("target", printable(status.target->error().text));

	const CostTarget &target = **status.target;
	std::string text =
		line("target", fmt::format("{} (pid {}): {:.2f} CPUs and {:.0f} switches in a second",
					   printable(target.process), target.pid, target.load.cpus,
					   target.load.switches));

	if (status.cost && *status.cost && status.switch_cost && *status.switch_cost)
		text += line("", target_cost_text(target, **status.cost, **status.switch_cost));
	return text;
}

/** "nginx (pid 12), nginx (pid 13) and 5 more" */
std::string targets_text(const HeldSession &session)
{
	std::string text;
	size_t number = 0;
	bool more = false;

	for (const HeldProfile &profile : session.profiles) {
		more = more || profile.more_pids;
		for (const pid_t pid : profile.pids) {
			if (number++ < most_named)
				text += fmt::format("{}{} (pid {})", text.empty() ? "" : ", ",
						    process_name(pid), pid);
		}
	}
	if (number > most_named)
		text += fmt::format(" and {}{} more", grouped(number - most_named), more ? " or" : "");
	return text.empty() ? "no process visible here" : text;
}

/** "999 Hz", "99 Hz to 999 Hz"; empty if no clock ticks. */
std::string hz_text(const HeldSession &session)
{
	const auto hz = [](uint64_t period) {
		return rate_text(period ? 1e9 / static_cast<double>(period) : 0);
	};
	std::set<uint64_t> periods;

	for (const HeldProfile &profile : session.profiles) {
		if (profile.event.empty())
			periods.insert(profile.period);
	}
	if (periods.size() < 2)
		return periods.empty() ? "" : hz(*periods.begin());
	return fmt::format("{} to {}", hz(*periods.rbegin()), hz(*periods.begin()));
}

/** "999 Hz", "each of page-faults"; then the number of profiles in each state but running. */
std::string rates_text(const HeldSession &session)
{
	std::map<std::string, uint64_t> states;
	std::set<std::string> events;
	std::string text = hz_text(session);

	for (const HeldProfile &profile : session.profiles) {
		if (!profile.event.empty())
			events.insert(profile.period == 1 ? "each of " + profile.event
							  : fmt::format("1 in {} {}", grouped(profile.period),
									profile.event));
	}
	if (!events.empty())
		text += fmt::format("{}{}", text.empty() ? "" : ", ", fmt::join(events, ", "));
	for (const HeldProfile &profile : session.profiles)
		states[profile.state]++;
	states.erase("running");
	for (const auto &[state, number] : states)
		text += fmt::format("; {} off ({})", grouped(number), state);
	return text;
}

/** The losses of each event, a line each.  Profiles of the same event share its account. */
std::string events_text(const HeldSession &session)
{
	std::map<std::string, EventAccount> events;
	std::string text;

	for (const HeldProfile &profile : session.profiles) {
		if (!profile.event.empty())
			events.insert_or_assign(profile.event, profile.account);
	}
	for (const auto &[name, account] : events) {
		for (const std::string &line : event_account_lines(account))
			text += "  " + printable(line) + '\n';
	}
	return text;
}

std::string session_text(const HeldSession &session)
{
	HeldProfile sum;
	uint64_t pages = 0;

	for (const HeldProfile &profile : session.profiles) {
		sum.ticks += profile.ticks;
		sum.counted += profile.counted;
		sum.lost += profile.lost;
		pages += profile.pinned_pages.value_or(0);
	}

	std::string text =
		fmt::format("{} (pid {}, user {}): ", session.process, session.pid, user_name(session.user));

	if (session.profiles.empty())
		return printable(text + "nothing") + '\n';
	text += fmt::format("{} at {}", counted_noun(session.profiles.size(), "profile"),
			    rates_text(session));
	return printable(text) + "\n  " + printable(targets_text(session)) +
	       fmt::format("\n  {}: {} counted, {} lost; {} pinned\n", counted_noun(sum.ticks, "tick"),
			   grouped(sum.counted), grouped(sum.lost), bytes_text(pages * page_size())) +
	       events_text(session);
}

std::string sessions_text(const Status &status)
{
	const uint64_t others = status.other_profiles();
	std::string text;

	for (const HeldSession &session : status.search.sessions)
		text += session_text(session);
	if (others)
		text += fmt::format("{}{} of programs that profile themselves{}\n",
				    text.empty() ? "" : "and ", counted_noun(others, "profile"),
				    status.search.hidden
					    ? fmt::format(", or of other users (sudo {} status shows them)",
							  printable(status.permissions.program))
					    : "");
	return text.empty() ? "" : "\n" + text;
}

} // namespace

std::string status_text(const Status &status)
{
	std::string text = fmt::format("profil {}, Linux {}, user {}\n\n", profil_version(),
				       printable(status.machine.release), printable(status.permissions.user));

	for (const Ability &ability : status.abilities)
		text += ability_text(ability);
	text += '\n' + limits_text(status);
	if (status.machine.loaded)
		text += clock_text(status) + totals_text(status) + cost_text(status) +
			switch_cost_text(status) + target_text(status) + sessions_text(status);
	return text;
}

} // namespace cli
