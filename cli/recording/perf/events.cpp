// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/recording/perf/events.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <optional>
#include <queue>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

namespace cli {
namespace {

/* PERF_FORMAT_LOST, in linux/perf_event.h since 6.0. */
constexpr uint64_t format_lost = uint64_t{1} << 4;

bool may_wait(const perf_event_attr &attr)
{
	return attr.type != PERF_TYPE_SOFTWARE && attr.type != PERF_TYPE_TRACEPOINT;
}

bool is_refused(int error)
{
	return error == EACCES || error == EPERM;
}

} // namespace

Outcome PerfEvents::open_rings()
{
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);

	poll_ = Fd(epoll_create1(EPOLL_CLOEXEC));
	if (!poll_)
		return system_error("epoll_create1");
	closed_.resize(settings_.sources.size());
	for (int cpu = 0; cpu < cpus; cpu++) {
		Result<PerfRing> ring = PerfRing::open(cpu, settings_.memory / static_cast<uint64_t>(cpus));
		epoll_event event = {EPOLLIN, {}};

		if (!ring)
			return ring.error();
		if (ring->fd() < 0)
			continue;
		if (epoll_ctl(poll_.get(), EPOLL_CTL_ADD, ring->fd(), &event))
			return system_error("epoll_ctl");
		rings_.push_back(*std::move(ring));
	}
	return Done();
}

perf_event_attr PerfEvents::attr_of(uint32_t source, bool everybody) const
{
	const PerfSource &what = settings_.sources[source];
	perf_event_attr attr = what.attr;

	attr.size = sizeof(attr);
	attr.sample_period = what.period;
	attr.sample_type = perf_sample_type | (cgroups_ ? uint64_t{PERF_SAMPLE_CGROUP} : 0);
	attr.sample_id_all = 1;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID |
			   (newer_ ? format_lost : 0U);
	attr.disabled = 1;
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	attr.watermark = 1;
	attr.exclude_hv = 1;
	attr.exclude_idle = 1;
	attr.inherit = !everybody && !settings_.threads;
	attr.inherit_thread = attr.inherit && !settings_.follow;
	if (settings_.kernel == KernelTime::LeftOut || hides_kernel_)
		attr.exclude_kernel = 1;
	/* The first source's events report programs and mappings for all sources. */
	if (!source) {
		attr.mmap = 1;
		attr.mmap2 = 1;
		attr.build_id = newer_;
		attr.comm = 1;
		attr.comm_exec = 1;
		attr.task = 1;
	}
	return attr;
}

int PerfEvents::open(pid_t tid, const PerfRing &ring, uint32_t source, Member &member)
{
	perf_event_attr attr = attr_of(source, tid < 0);
	Counter counter;

	/* An event that excludes the kernel and user mode would count nothing. */
	if (attr.exclude_kernel && attr.exclude_user)
		return EACCES;
	counter.source = source;
	counter.fd = Fd(static_cast<int>(
		syscall(SYS_perf_event_open, &attr, tid, ring.cpu(), -1, PERF_FLAG_FD_CLOEXEC)));
	if (!counter.fd || ioctl(counter.fd.get(), PERF_EVENT_IOC_SET_OUTPUT, ring.fd()) ||
	    ioctl(counter.fd.get(), PERF_EVENT_IOC_ID, &counter.id))
		return errno;
	member.push_back(std::move(counter));
	return 0;
}

int PerfEvents::open_on_cpus(pid_t tid, Member &member)
{
	member.clear();
	for (const PerfRing &ring : rings_) {
		for (uint32_t source = 0; source < settings_.sources.size(); source++) {
			if (const int error = open(tid, ring, source, member))
				return error;
		}
	}
	return 0;
}

/* Each attempt requests less: the kernel may be older, or may not let us sample kernel mode. */
int PerfEvents::add(pid_t tid)
{
	const bool was_newer = newer_;
	const bool had_cgroups = cgroups_;
	Member member;
	int error = open_on_cpus(tid, member);

	if (error == EINVAL && newer_) {
		newer_ = false;
		error = open_on_cpus(tid, member);
	}
	if (error == EINVAL && cgroups_) {
		cgroups_ = false;
		error = open_on_cpus(tid, member);
	}
	if (is_refused(error) && settings_.kernel != KernelTime::LeftOut && !hides_kernel_) {
		hides_kernel_ = true;
		error = open_on_cpus(tid, member);
		hides_kernel_ = !error;
	}
	if (error) {
		newer_ = was_newer;
		cgroups_ = had_cgroups;
		return error;
	}

	epoll_event event = {};

	event.data.u64 = ++last_member_;
	if (epoll_ctl(poll_.get(), EPOLL_CTL_ADD, member.front().fd.get(), &event))
		return errno;
	for (const Counter &counter : member) {
		if (counter.source)
			source_of_[counter.id] = counter.source;
		ioctl(counter.fd.get(), PERF_EVENT_IOC_ENABLE, 0);
	}
	members_.emplace(last_member_, std::move(member));
	everybody_ = tid < 0;
	return 0;
}

bool PerfEvents::is_filling_up()
{
	return std::any_of(rings_.begin(), rings_.end(), [](PerfRing &ring) { return ring.fills_up(); });
}

void PerfEvents::read(uint64_t until, const std::function<void(const PerfRecord &)> &visit)
{
	using Front = std::pair<uint64_t, PerfRing *>;
	std::priority_queue<Front, std::vector<Front>, std::greater<>> fronts;
	const auto add = [&fronts](PerfRing &ring) {
		if (const PerfRecord record = ring.next())
			fronts.emplace(record.time(), &ring);
	};

	for (PerfRing &ring : rings_) {
		ring.look();
		add(ring);
	}
	while (!fronts.empty() && fronts.top().first <= until) {
		PerfRing &ring = *fronts.top().second;

		fronts.pop();
		visit(ring.next());
		ring.drop();
		add(ring);
	}
	for (PerfRing &ring : rings_)
		ring.release();
}

PerfEvents::Reading PerfEvents::look_at(const Counter &counter)
{
	Reading reading;

	/* Before 6.0, the kernel does not write the last member. */
	if (::read(counter.fd.get(), &reading, sizeof(reading)) <= 0)
		return {};
	return reading;
}

void PerfEvents::close_ended()
{
	std::array<epoll_event, 64> events;
	const int count = epoll_wait(poll_.get(), events.data(), events.size(), 0);

	/* The records of events that the last call closed have been read since. */
	for (const uint64_t id : std::exchange(closed_ids_, {}))
		source_of_.erase(id);
	for (int i = 0; i < count; i++) {
		const auto member = members_.find(events[static_cast<size_t>(i)].data.u64);

		if (member == members_.end() || !(events[static_cast<size_t>(i)].events & EPOLLHUP))
			continue;
		add_times(member->second, closed_);
		for (const Counter &counter : member->second) {
			closed_lost_ += look_at(counter).lost;
			closed_ids_.push_back(counter.id);
		}
		members_.erase(member);
	}
}

uint32_t PerfEvents::source_of(uint64_t id) const
{
	const auto found = source_of_.find(id);

	return found == source_of_.end() ? 0 : found->second;
}

std::vector<EventAccount> PerfEvents::accounts() const
{
	std::vector<EventAccount> sums = closed_;

	for (const auto &[number, member] : members_)
		add_times(member, sums);
	return sums;
}

/*
 * While a thread runs, its events are enabled on all CPUs, but run only on the thread's CPU.
 * The events are opened and read one after the other: all were open only during the shortest
 * enabled time.
 */
void PerfEvents::add_times(const Member &member, std::vector<EventAccount> &sums) const
{
	std::vector<EventAccount> times(sums.size());
	std::vector<std::optional<uint64_t>> shortest(sums.size());

	for (const Counter &counter : member) {
		if (!may_wait(settings_.sources[counter.source].attr))
			continue;

		const Reading reading = look_at(counter);
		std::optional<uint64_t> &least = shortest[counter.source];

		least = std::min(least.value_or(reading.enabled_ns), reading.enabled_ns);
		times[counter.source].enabled_ns += reading.enabled_ns;
		times[counter.source].running_ns += reading.running_ns;
	}
	for (size_t i = 0; i < sums.size(); i++) {
		sums[i].enabled_ns += everybody_ ? times[i].enabled_ns : shortest[i].value_or(0);
		sums[i].running_ns += times[i].running_ns;
	}
}

uint64_t PerfEvents::lost() const
{
	uint64_t sum = closed_lost_;

	for (const auto &[number, member] : members_) {
		for (const Counter &counter : member)
			sum += look_at(counter).lost;
	}
	return sum;
}

uint64_t PerfEvents::ring_bytes() const
{
	uint64_t sum = 0;

	for (const PerfRing &ring : rings_)
		sum += ring.bytes();
	return sum;
}

void PerfEvents::stop()
{
	for (const auto &[number, member] : members_) {
		for (const Counter &counter : member)
			ioctl(counter.fd.get(), PERF_EVENT_IOC_DISABLE, 0);
	}
}

} // namespace cli
