// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/events/available.h"

#include "cli/base/fd.h"
#include "cli/events/pmu.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace cli {
namespace {

/** Opens the event on this process, with a huge period; returns 0, or the errno value. */
int try_event(const Event &event)
{
	perf_event_attr attr = event.attr;

	attr.size = sizeof(attr);
	attr.disabled = 1;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.sample_period = uint64_t{1} << 62;
	/* User mode needs no privilege, but tracepoints and some breakpoints are in the kernel. */
	if (attr.type != PERF_TYPE_TRACEPOINT && attr.type != PERF_TYPE_BREAKPOINT)
		attr.exclude_kernel = 1;
	attr.exclude_hv = 1;

	const Fd fd(static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));

	return fd.get() < 0 ? errno : 0;
}

} // namespace

Outcome check_available(const Event &event)
{
	const int error = try_event(event);

	switch (error) {
	case 0:
	/* Permission depends on the target, so it is checked when the event is attached. */
	case EACCES:
	case EPERM: return Done();
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return Error{fmt::format("event '{}': this CPU or kernel cannot sample it (profil list shows "
					 "the events that it can)",
					 event.name)};
	case EINVAL:
		if (event.attr.precise_ip)
			return Error{fmt::format("event '{}': this CPU cannot sample it precisely (leave "
						 "out p)",
						 event.name)};
		[[fallthrough]];
	default: return Error{fmt::format("event '{}': {}", event.name, std::strerror(error))};
	}
}

std::vector<Event> available_events()
{
	std::vector<Event> all;

	for (const EventName &one : event_names()) {
		Result<std::vector<Event>> event = parse_events(one.name);

		if (event && check_available(event->front()))
			all.push_back(event->front());
	}
	for (const PmuEvent &one : pmu_events()) {
		Result<std::vector<Event>> event = parse_events(fmt::format("{}/{}/", one.pmu, one.name));

		if (event && check_available(event->front()))
			all.push_back(event->front());
	}
	return all;
}

bool needs_privilege(const Event &event)
{
	return event.attr.type != PERF_TYPE_SOFTWARE;
}

} // namespace cli
