// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands/push/event_types.h"

#include "cli/rows/events.h"

namespace cli {

std::string type_for_servers(std::string_view event)
{
	std::string name(event);

	/* Without isalnum(), which depends on the locale. */
	for (char &c : name) {
		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')))
			c = '_';
	}
	return name;
}

Profile events_for_servers(const Profile &profile)
{
	Profile events = profile;

	events.sample_types.erase(events.sample_types.begin(), events.sample_types.begin() + first_event);
	for (ValueType &type : events.sample_types)
		type.type = type_for_servers(type.type);
	events.period_type.type = type_for_servers(events.period_type.type);
	events.default_sample_type = type_for_servers(events.default_sample_type);
	for (Sample &sample : events.samples)
		sample.values.erase(sample.values.begin(), sample.values.begin() + first_event);
	return events;
}

} // namespace cli
