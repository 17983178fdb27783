// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/rows/event_order.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace cli {

Result<EventOrder> find_order(const EventColumns &events, std::span<const Ratio> ratios,
			      const std::string &name)
{
	const size_t event = find_event(events.names, name);
	const auto ratio = std::find_if(ratios.begin(), ratios.end(),
					[&](const Ratio &one) { return one.name == name; });

	if (event < events.names.size())
		return EventOrder(event);
	if (ratio != ratios.end())
		return EventOrder(*ratio);
	if (events.names.empty())
		return Error{fmt::format("--order: '{}': the profile does not have several events", name)};

	std::vector<std::string> names = events.names;

	for (const Ratio &one : ratios)
		names.push_back(one.name);
	return Error{fmt::format("--order: '{}' is not one of {}", name, fmt::join(names, ", "))};
}

void order_rows(Flat &flat, const EventOrder &order)
{
	const auto by = [&](auto value_of) {
		std::stable_sort(flat.rows.begin(), flat.rows.end(), [&](const Row &a, const Row &b) {
			return value_of(a.events) > value_of(b.events);
		});
	};

	if (const size_t *event = std::get_if<size_t>(&order))
		by([event](std::span<const uint64_t> values) { return values[*event]; });
	else
		by([&](std::span<const uint64_t> values) {
			return ratio_of(std::get<Ratio>(order), values);
		});
}

} // namespace cli
