// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/top/event_text.h"

#include "cli/base/numbers.h"

#include <algorithm>
#include <fmt/format.h>

namespace cli {
namespace {

/** An event's period and losses, as " (...)"; empty if the period is 1 and nothing was lost. */
std::string account_text(const EventAccount &account)
{
	std::vector<std::string> parts;

	if (account.period > 1)
		parts.push_back("1 in " + grouped(account.period));
	for (std::string &loss : event_losses(account))
		parts.push_back(std::move(loss));
	return parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, "; "));
}

} // namespace

std::string events_text(const TopRows &rows, std::span<const EventAccount> accounts)
{
	std::vector<std::string> events;

	for (size_t i = 0; i < rows.types().size(); i++) {
		const std::string &name = rows.types()[i].type;
		const auto account = std::find_if(accounts.begin(), accounts.end(),
						  [&](const auto &one) { return one.name == name; });

		events.push_back(fmt::format("{} {}{}", grouped(rows.total(i).samples), name,
					     account == accounts.end() ? "" : account_text(*account)));
	}
	return fmt::format("{}", fmt::join(events, ", "));
}

std::string order_text(const TopRows &rows, TopOrder order)
{
	const std::string_view unit = unit_of(rows.type());

	if (order == TopOrder::Samples)
		return std::string(unit);
	if (order == TopOrder::Delta && rows.types().size() > 1)
		return fmt::format("delta of {}", unit);
	return std::string(top_order_name(order));
}

std::vector<Ratio> ratios_in(const TopRows &rows)
{
	EventColumns columns;

	for (const ValueType &type : rows.types())
		columns.names.push_back(type.type);
	return *ratios_of(columns, {});
}

} // namespace cli
