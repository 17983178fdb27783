// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/perf/access.h"

#include "cli/base/fd.h"
#include "cli/base/files.h"
#include "cli/base/whole_number.h"
#include "cli/events/event.h"
#include "cli/recording/perf/ring.h"
#include "cli/recording/session.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <fmt/format.h>
#include <optional>
#include <sys/ioctl.h>
#include <sys/syscall.h>

namespace cli {
namespace {

constexpr uint64_t ns_per_second = 1'000'000'000;
/* The hrtimer behind cpu-clock ticks no faster. */
constexpr uint64_t shortest_period = 10'000;
/* Short, so that measure_perf_cost() takes only a few milliseconds. */
constexpr uint64_t fast_period = 100'000;
constexpr uint64_t measured_ticks = 40;
constexpr long strictest_of_linux = 2;

std::optional<long> sysctl_of(const std::string &name)
{
	const Result<std::string> text = read_file("/proc/sys/kernel/" + name);

	return text ? whole_number<long>(text->substr(0, text->find('\n'))) : std::nullopt;
}

Fd open_own_clock(uint64_t period)
{
	perf_event_attr attr = {};

	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	attr.sample_type = perf_sample_type;
	attr.sample_period = period;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	return Fd(static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
}

} // namespace

bool is_refused_by_sandbox(int error, std::optional<long> paranoid)
{
	switch (error) {
	case EPERM: return true;
	case EACCES: return paranoid && *paranoid <= strictest_of_linux;
	case ENOSYS: return paranoid.has_value();
	default: return false;
	}
}

Outcome check_perf()
{
	if (open_own_clock(ns_per_second))
		return Done();

	const int error = errno;

	if (is_refused_by_sandbox(error, sysctl_of("perf_event_paranoid")))
		return Error{"a container or sandbox does not let perf_event_open(2) through (docker run "
			     "--cap-add PERFMON permits it, or, if that is unknown or not enough, "
			     "--security-opt seccomp=unconfined)"};
	return Error{explain(error, "perf_event_open")};
}

uint64_t shortest_perf_period()
{
	const long rate = sysctl_of("perf_event_max_sample_rate").value_or(0);

	return rate > 0 ? std::max(ns_per_second / static_cast<uint64_t>(rate), shortest_period)
			: shortest_period;
}

std::string why_not_sampled(int error, const perf_event_attr &event)
{
	const std::string of_event = why_event_is_refused(event, error);

	if (!of_event.empty() && event.type != PERF_TYPE_SOFTWARE)
		return of_event;
	switch (error) {
	case EACCES:
	case EPERM:
	case ENOENT:
	case ENOSYS:
	case EMFILE:
	case ENFILE:
	case ESRCH: return explain(error, "perf_event_open");
	default: return system_error("perf_event_open", error).text;
	}
}

std::string why_kernel_is_hidden()
{
	return fmt::format("kernel.perf_event_paranoid is {} (needs CAP_PERFMON, or 'sysctl "
			   "kernel.perf_event_paranoid=1')",
			   sysctl_of("perf_event_paranoid").value_or(strictest_of_linux));
}

Result<TickCost> measure_perf_cost()
{
	constexpr uint64_t bytes = 65536;
	const uint64_t period = std::max(fast_period, shortest_perf_period());
	Result<PerfRing> ring = PerfRing::open(-1, bytes);
	const Fd clock = open_own_clock(period);

	if (!ring)
		return ring.error();
	if (!clock || ioctl(clock.get(), PERF_EVENT_IOC_SET_OUTPUT, ring->fd()))
		return system_error("perf_event_open");
	return cost_of_gaps(spin_and_note_gaps(measured_ticks * period), measured_ticks);
}

} // namespace cli
