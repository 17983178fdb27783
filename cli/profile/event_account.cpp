// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/profile/event_account.h"

#include "cli/base/numbers.h"
#include "cli/base/saturate.h"
#include "cli/base/whole_number.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace cli {
namespace {

using Member = uint64_t EventAccount::*;

/** Members with their names in fdinfo, in the order of to_text(). */
constexpr std::array<std::pair<std::string_view, Member>, 4> members = {{
	{"event_missed", &EventAccount::missed},
	{"event_throttled", &EventAccount::throttled},
	{"event_enabled_ns", &EventAccount::enabled_ns},
	{"event_running_ns", &EventAccount::running_ns},
}};

double share_running(const EventAccount &account)
{
	return static_cast<double>(account.running_ns) / static_cast<double>(account.enabled_ns);
}

std::string shared_text(const EventAccount &account)
{
	return fmt::format("counted {:.2f} % of the time", 100 * share_running(account));
}

std::string throttled_text(const EventAccount &account)
{
	return fmt::format("stopped {}", counted_noun(account.throttled, "time"));
}

std::string missed_text(const EventAccount &account)
{
	return fmt::format("{} missed", counted_noun(account.missed, "tick"));
}

} // namespace

EventAccount EventAccount::since(const EventAccount &earlier) const
{
	EventAccount difference = *this;

	for (const auto &[key, member] : members)
		difference.*member -= std::min(difference.*member, earlier.*member);
	return difference;
}

void EventAccount::add(const EventAccount &other)
{
	period = std::max(period, other.period);
	for (const auto &[key, member] : members)
		this->*member = saturating_add(this->*member, other.*member);
}

uint64_t EventAccount::scaled(uint64_t counted) const
{
	if (!is_shared() || !running_ns)
		return counted;

	const double all = static_cast<double>(counted) / share_running(*this);

	/* 2^64: the smallest double that is too large. */
	constexpr double too_many = 18446744073709551616.0;

	return all < too_many ? static_cast<uint64_t>(std::round(all)) : UINT64_MAX;
}

std::vector<std::string> event_account_lines(const EventAccount &account)
{
	std::vector<std::string> lines;

	if (account.is_shared())
		lines.push_back(fmt::format("{}: {}, because there are too few counters for all events: its "
					    "values are scaled up",
					    account.name, shared_text(account)));
	if (account.throttled)
		lines.push_back(
			fmt::format("{}: {} until the kernel's next tick, because it occurred too often, "
				    "so its values are too small (a longer period helps, or a higher "
				    "kernel.perf_event_max_sample_rate)",
				    account.name, throttled_text(account)));
	if (account.missed)
		lines.push_back(fmt::format("{}: {}, of any process, because the module was busy on "
					    "that CPU",
					    account.name, missed_text(account)));
	return lines;
}

std::vector<std::string> event_losses(const EventAccount &account)
{
	std::vector<std::string> losses;

	if (account.is_shared())
		losses.push_back(shared_text(account));
	if (account.throttled)
		losses.push_back(throttled_text(account));
	if (account.missed)
		losses.push_back(missed_text(account));
	return losses;
}

void add_events(std::vector<EventAccount> &sums, const std::vector<EventAccount> &events, size_t first)
{
	sums.resize(std::max(sums.size(), events.empty() ? 0 : first + events.size()));
	for (size_t i = 0; i < events.size(); i++)
		sums[first + i].add(events[i]);
}

std::string to_text(const EventAccount &account)
{
	std::string text = fmt::format("{} ", account.period);

	for (const auto &[key, member] : members)
		text += fmt::format("{} ", account.*member);
	return text + account.name;
}

std::optional<EventAccount> parse_event_account(std::string_view text)
{
	EventAccount account;
	const auto take = [&](Member member) {
		const size_t end = text.find(' ');
		const auto number = whole_number<uint64_t>(text.substr(0, end));

		account.*member = number.value_or(0);
		text.remove_prefix(end == text.npos ? text.size() : end + 1);
		return number.has_value() && end != text.npos;
	};

	if (!take(&EventAccount::period) ||
	    !std::all_of(members.begin(), members.end(), [&](const auto &one) { return take(one.second); }))
		return std::nullopt;
	account.name = text;
	return account;
}

bool set_event_field(EventAccount &account, std::string_view name, std::string_view value)
{
	const auto *const known = std::find_if(members.begin(), members.end(),
					       [&](const auto &one) { return one.first == name; });

	if (known == members.end())
		return false;
	account.*known->second = whole_number<uint64_t>(value).value_or(0);
	return true;
}

std::optional<EventAccount> event_account_of_fdinfo(std::string_view fdinfo)
{
	EventAccount account;
	size_t found = 0;

	while (!fdinfo.empty() && found < members.size()) {
		const std::string_view line = fdinfo.substr(0, fdinfo.find('\n'));
		const size_t colon = std::min(line.find(":\t"), line.size());

		found += set_event_field(account, line.substr(0, colon),
					 line.substr(std::min(colon + 2, line.size())));
		fdinfo.remove_prefix(std::min(line.size() + 1, fdinfo.size()));
	}
	return found == members.size() ? std::optional(account) : std::nullopt;
}

} // namespace cli
