// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/rows/event_order.h  Orders the rows of a flat profile by one of its events. */
#pragma once

#include "cli/base/result.h"
#include "cli/rows/events.h"
#include "cli/rows/flat.h"

#include <span>
#include <string>
#include <variant>

namespace cli {

/** The value to order rows by: an event, as its index in EventColumns::names, or a ratio. */
using EventOrder = std::variant<size_t, Ratio>;

/** The event or ratio of that name; the error lists the names. */
Result<EventOrder> find_order(const EventColumns &events, std::span<const Ratio> ratios,
			      const std::string &name);

/** Order rows, highest first; equal rows keep their order, and those without a ratio come last. */
void order_rows(Flat &flat, const EventOrder &order);

} // namespace cli
